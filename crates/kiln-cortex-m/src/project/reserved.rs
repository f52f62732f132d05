//! Names that a model must not have in C.

use crate::embedded::KILN_NN;
use rustc_hash::FxHashSet;
use std::sync::OnceLock;

/// Keywords of C up to C23, and of C++.
static KEYWORDS: Words = Words::of(
    "_Alignas _Alignof _Atomic _BitInt _Bool _Complex _Decimal128 _Decimal32 _Decimal64 _Generic _Imaginary _Noreturn \
    _Static_assert _Thread_local alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t char8_t \
    class co_await co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype default delete do \
    double dynamic_cast else enum explicit export extern false float for friend goto if inline int long mutable namespace new noexcept \
    not not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires restrict return short signed sizeof \
    static static_assert static_cast struct switch template this thread_local throw true try typedef typeid typename typeof typeof_unqual \
    union unsigned using virtual void volatile while xor xor_eq",
);

/// Headers of C. On file systems without case, a model's header would hide one of the same name.
static HEADERS: Words = Words::of(
    "assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign stdarg stdatomic \
    stdbit stdbool stdckdint stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar wchar wctype \
    features newlib",
);

/// Targets that CMake makes itself: a library of such a name is refused.
static TARGETS: Words = Words::of(
    "all clean depend edit_cache help install list_install_components package_source preinstall rebuild_cache uninstall",
);

/// Functions, macros and types of the headers. Types by width are in `is_of_width`; functions of mathematics have further
/// suffixes.
static STANDARD: Words = Words::of(
    "BUFSIZ CHAR_BIT CHAR_MAX CHAR_MIN CLOCKS_PER_SEC CMPLX DBL_MAX DBL_MIN EDOM EILSEQ EOF ERANGE EXIT_FAILURE \
    EXIT_SUCCESS FILE FILENAME_MAX FLT_EPSILON FLT_MAX FLT_MIN FOPEN_MAX HUGE_VAL I INFINITY INT_MAX INT_MIN LC_ALL LDBL_MAX LDBL_MIN \
    LLONG_MAX LLONG_MIN LONG_MAX LONG_MIN MB_CUR_MAX MB_LEN_MAX NAN NDEBUG NULL PTRDIFF_MAX PTRDIFF_MIN RAND_MAX SCHAR_MAX SCHAR_MIN \
    SEEK_CUR SEEK_END SEEK_SET SHRT_MAX SHRT_MIN SIGABRT SIGFPE SIGILL SIGINT SIGSEGV SIGTERM SIG_DFL SIG_ERR SIG_IGN SIZE_MAX TIME_UTC \
    TMP_MAX UCHAR_MAX UINT_MAX ULLONG_MAX ULONG_MAX USHRT_MAX WCHAR_MAX WCHAR_MIN WEOF abort abs aligned_alloc asctime at_quick_exit \
    atexit atof atoi atol atoll bsearch btowc calloc clearerr clock clock_t cnd_t constraint_handler_t difftime div div_t double_t \
    errno_t exit fclose feclearexcept fegetenv feholdexcept fenv_t feof feraiseexcept ferror fesetenv fetestexcept feupdateenv fexcept_t \
    fflush fgetc fgetpos fgets fgetwc fgetws float_t fopen fpclassify fpos_t fprintf fputc fputs fputwc fputws fread free freopen fscanf \
    fseek fsetpos ftell fwide fwprintf fwrite fwscanf getc getchar getenv gets getwc getwchar gmtime imaxabs imaxdiv isalnum isalpha \
    isblank iscntrl isdigit isfinite isgraph isgreater isgreaterequal isinf isless islessequal islessgreater islower isnan isnormal \
    isprint ispunct isspace isunordered isupper iswalnum iswalpha iswdigit iswlower iswspace iswupper isxdigit jmp_buf kill_dependency \
    labs lconv ldiv ldiv_t llabs lldiv lldiv_t localeconv localtime longjmp main malloc max_align_t mblen mbrtowc mbsinit mbstate_t \
    mbstowcs mbtowc memchr memcmp memcpy memmove memset mktime mtx_t noreturn offsetof once_flag perror printf ptrdiff_t putc putchar \
    puts putwc putwchar qsort quick_exit raise rand realloc remove rename rewind rsize_t scanf setbuf setlocale setvbuf sig_atomic_t \
    signbit size_t snprintf sprintf srand sscanf stderr stdin stdout strcat strchr strcmp strcoll strcpy strcspn strerror strftime \
    strlen strncat strncmp strncpy strpbrk strrchr strspn strstr strtod strtof strtoimax strtok strtol strtold strtoll strtoul strtoull \
    strtoumax strxfrm swprintf swscanf system thrd_t timespec tm time_t tmpfile tmpnam tolower toupper towlower towupper tss_t ungetc \
    ungetwc va_arg va_copy va_end va_list va_start vfprintf vfscanf vprintf vscanf vsnprintf vsprintf vsscanf vwprintf wchar_t wcscat \
    wcschr wcscmp wcscpy wcslen wcstombs wctob wctomb wctrans_t wctype_t wint_t wmemcpy wmemset wprintf wscanf",
);

/// Functions of `math.h` and `complex.h`. Each exists for three float types: with the suffix `f`, with `l`, and without.
static MATHEMATICS: Words = Words::of(
    "acos acosh asin asinh atan atan2 atanh cabs cacos cacosh carg casin casinh catan catanh cbrt ccos ccosh ceil \
    cexp cimag clog conj copysign cos cosh cpow cproj creal csin csinh csqrt ctan ctanh erf erfc exp exp2 expm1 fabs fdim floor fma fmax \
    fmin fmod frexp hypot ilogb ldexp lgamma llrint llround log log10 log1p log2 logb lrint lround modf nan nearbyint nextafter \
    nexttoward pow remainder remquo rint round scalbln scalbn sin sinh sqrt tan tanh tgamma trunc",
);

/// Whether C or C++ has a meaning for a word.
pub(super) fn is_keyword(word: &str) -> bool {
    KEYWORDS.has(word)
}

/// Whether a name belongs to the standard library.
pub(super) fn is_standard(word: &str) -> bool {
    let stem = word.strip_suffix(['f', 'l']).unwrap_or(word);
    STANDARD.has(word) || MATHEMATICS.has(word) || MATHEMATICS.has(stem) || is_of_width(word)
}

/// Whether a header has this name.
pub(super) fn is_header(word: &str) -> bool {
    HEADERS.has(&word.to_ascii_lowercase())
}

/// Whether CMake has a target of this name.
pub(super) fn is_target(word: &str) -> bool {
    TARGETS.has(word)
}

/// A name of `kiln_nn` or of CMSIS-NN with which a model of this name clashes: the model's name itself, or a name that begins
/// with it, as the model's own names do.
pub(super) fn of_kernels(word: &str) -> Option<&'static str> {
    let begins = |name: &&str| {
        let rest = name.get(word.len()..);
        let is_alike = name
            .get(..word.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(word));
        is_alike && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
    };
    // Other names clash with none, and are not looked up.
    let may_begin = |own: &&str| {
        let stem = own.trim_end_matches('_');
        let starts = |with: &str| {
            word.get(..with.len())
                .is_some_and(|w| w.eq_ignore_ascii_case(with))
        };
        starts(own) || (starts(stem) && word.len() == stem.len())
    };
    if !OWN.iter().any(may_begin) {
        return None;
    }
    let is_word = |c: char| !c.is_ascii_alphanumeric() && c != '_';
    let texts = KILN_NN.iter().map(|(_, text)| *text);
    let words = texts.flat_map(|text| text.split(is_word));
    let mut words = words.filter(|word| {
        OWN.iter().any(|own| {
            word.get(..own.len())
                .is_some_and(|w| w.eq_ignore_ascii_case(own))
        })
    });
    words.find(begins)
}

/// The prefixes of names of `kiln_nn` and of CMSIS-NN.
const OWN: [&str; 3] = ["kiln_", "arm_", "cmsis_"];

/// Integers by width and their limits: `int8_t`, `uint_least16_t`, `INT32_MAX`, `UINTPTR_MAX`.
fn is_of_width(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    let Some(rest) = lower
        .strip_prefix('u')
        .unwrap_or(&lower)
        .strip_prefix("int")
    else {
        return false;
    };
    let rest = ["_least", "_fast"]
        .iter()
        .find_map(|kind| rest.strip_prefix(kind))
        .unwrap_or(rest);
    let Some((width, end)) = rest.split_once('_') else {
        return false;
    };
    matches!(width, "8" | "16" | "32" | "64" | "max" | "ptr")
        && matches!(end, "t" | "max" | "min" | "c")
}

/// The words of a text.
struct Words {
    text: &'static str,
    /// The set of them, made at the first look-up.
    all: OnceLock<FxHashSet<&'static str>>,
}

impl Words {
    const fn of(text: &'static str) -> Words {
        Words {
            text,
            all: OnceLock::new(),
        }
    }

    fn has(&self, word: &str) -> bool {
        let all = || self.text.split_ascii_whitespace().collect();
        self.all.get_or_init(all).contains(word)
    }
}
