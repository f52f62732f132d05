//! The page that `kiln explain --html` writes, and what a browser makes of it.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod explained;
mod folder;

use explained::page;
use folder::Folder as Trial;
use kiln_testing::corpus::Corpus;
use serde_json::Value;
use std::path::Path;
use std::process::Command;

#[test]
fn the_page_needs_nothing_else() {
    let page = page(&Trial::new());
    // The only address is the namespace of SVG, which no browser fetches.
    let addresses = page.matches("://").count();
    assert_eq!(
        addresses,
        page.matches("http://www.w3.org/2000/svg").count()
    );
    for outside in ["<link", "src=", "@import", "url(", "fetch("] {
        assert!(!page.contains(outside), "{outside}");
    }
    let (_, rest) = page.split_once("type=\"application/json\">").unwrap();
    let (data, _) = rest.split_once("</script>").unwrap();
    let data: Value = serde_json::from_str(data).unwrap();
    let nodes = data["methods"][0]["nodes"].as_array().unwrap();
    assert!(
        nodes
            .iter()
            .any(|n| n["kind"] == "kernel" && n["source"].is_string())
    );
    assert!(nodes.iter().any(|n| n["kind"] == "delegate"));
}

/// What the browser makes of the page after `script` has run in it, in a window of this width.
fn shown(browser: &Path, trial: &Trial, page: &str, width: u32, script: &str) -> String {
    let page = page.replace("</body>", &format!("<script>{script}</script></body>"));
    let file = trial.path("tried.html");
    std::fs::write(&file, page).unwrap();
    let profile = format!("--user-data-dir={}", trial.path("profile").display());
    let output = Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            &profile,
            &format!("--window-size={width},900"),
            "--dump-dom",
        ])
        .arg(format!("file://{}", file.display()))
        .output()
        .unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

const WIDE: u32 = 1400;

#[test]
fn the_page_works_in_a_browser() {
    let Some(browser) = kiln_testing::part::BROWSER.find() else {
        return;
    };
    let trial = Trial::new();
    let page = page(&trial);
    let dom = shown(&browser, &trial, &page, WIDE, "");
    assert!(
        dom.contains("<p>1 delegate; 1 × aten::index.Tensor_out; "),
        "{dom}"
    );
    assert!(dom.contains("<h2>Not in a delegate</h2>"), "{dom}");
    assert!(
        dom.contains("<h2>Beside the model's own ops</h2><ul><li>"),
        "{dom}"
    );
    let click =
        "document.querySelectorAll('g[data-node]')[1].dispatchEvent(new MouseEvent('click'));";
    let dom = shown(&browser, &trial, &page, WIDE, click);
    assert!(
        dom.contains("<dd>model.py:7 in forward: x = self.tokens(ids)</dd>"),
        "{dom}"
    );
    assert!(dom.contains("found embedding</dd>"), "{dom}");
    let search = "const box_ = document.getElementById('search'); box_.value = 'linear';\
                  box_.dispatchEvent(new Event('input'));";
    let dom = shown(&browser, &trial, &page, WIDE, search);
    assert!(dom.contains("<span id=\"found\">1 found</span>"), "{dom}");
    assert!(dom.contains("<dd>linear</dd>"), "{dom}");
    assert!(dom.contains("<dd>48 multiply-adds</dd>"), "{dom}");
}

/// A module that is closed in the tree is one box of the graph, and opens when a node inside is looked for.
#[test]
fn modules_close_to_boxes() {
    let Some(browser) = kiln_testing::part::BROWSER.find() else {
        return;
    };
    let trial = Trial::new();
    let page = page(&trial);
    let boxes = |dom: &str| dom.matches("class=\"item module").count();
    assert_eq!(boxes(&shown(&browser, &trial, &page, WIDE, "")), 0);
    let close = "document.querySelector('[aria-label=\"close head\"]').click();";
    let closed = shown(&browser, &trial, &page, WIDE, close);
    assert_eq!(boxes(&closed), 1, "{closed}");
    assert!(closed.contains("▸ head"), "{closed}");
    let select = format!(
        "{close}document.querySelector('g[data-module]').dispatchEvent(new MouseEvent('click'));"
    );
    let selected = shown(&browser, &trial, &page, WIDE, &select);
    assert!(
        selected.contains("<dt>module</dt><dd>head</dd>"),
        "{selected}"
    );
    assert!(selected.contains("<h2>All in delegates</h2>"), "{selected}");
    let reveal = format!("{close}reveal(method.nodes.findIndex(node => node.name === 'linear'));");
    let revealed = shown(&browser, &trial, &page, WIDE, &reveal);
    assert_eq!(boxes(&revealed), 0, "{revealed}");
}

/// No item lies on another one, arrows go down, and nothing sticks out of a window of this width.
#[test]
fn the_graph_is_readable_at_both_widths() {
    let Some(browser) = kiln_testing::part::BROWSER.find() else {
        return;
    };
    let trial = Trial::new();
    let suite = Corpus::open().unwrap().suite("models_small").unwrap();
    let checks = "const found = []; \
        items.forEach((a, i) => items.forEach((b, j) => { \
          if (i < j && a.y === b.y && Math.abs(a.x - b.x) < (a.width + b.width) / 2) found.push(`${i} on ${j}`); })); \
        arrows.forEach(({ from, to, path }) => { \
          if (!path.classList.contains('back') && items[from].y >= items[to].y) found.push(`${from} to ${to} up`); }); \
        items.forEach(item => item.group.querySelectorAll('text').forEach(text => { \
          if (text.getComputedTextLength() > item.width) found.push(`long ${text.textContent}`); })); \
        if (document.documentElement.scrollWidth > innerWidth) found.push('the page is wider than the window'); \
        document.title = `${items.length} items: ${found.join(', ') || 'fine'}`;";
    for name in ["mobilenet_v3_small", "bert_l4_h256", "ghostnet_100"] {
        let path = suite.case(name).unwrap().file("pt2");
        let model = path.to_str().unwrap();
        trial.stdout(&["explain", model, "--html", "page.html"]);
        let page = std::fs::read_to_string(trial.path("page.html")).unwrap();
        for width in [WIDE, 500] {
            let dom = shown(&browser, &trial, &page, width, checks);
            let (_, title) = dom.split_once("<title>").unwrap();
            let (title, _) = title.split_once("</title>").unwrap();
            let (count, found) = title.split_once(" items: ").unwrap();
            assert!(count.parse::<usize>().unwrap() > 10, "{name}: {title}");
            assert_eq!(found, "fine", "{name} at {width}");
        }
    }
}

/// Nodes of one name are told apart, and each node that moves elements is marked: an own colour, or a stripe.
#[test]
fn names_are_unique_and_moves_are_marked() {
    let Some(browser) = kiln_testing::part::BROWSER.find() else {
        return;
    };
    let trial = Trial::new();
    let suite = Corpus::open().unwrap().suite("models_small").unwrap();
    let count = "for (const module of everyModule(root)) module.open = true; \
        redraw(); \
        const names = new Set(method.nodes.map(node => node.label)); \
        const moved = method.nodes.filter(node => node.moved).length; \
        const kinds = method.nodes.filter(node => node.kind === 'movement').length; \
        document.title = [method.nodes.length - names.size, moved, kinds + document.querySelectorAll('#view .moves').length].join(' ');";
    let mut all = 0;
    for name in ["gru_tagger", "deit_tiny", "ghostnet_100"] {
        let model = suite.case(name).unwrap().file("pt2");
        trial.stdout(&["explain", model.to_str().unwrap(), "--html", "page.html"]);
        let page = std::fs::read_to_string(trial.path("page.html")).unwrap();
        let dom = shown(&browser, &trial, &page, WIDE, count);
        let (_, title) = dom.split_once("<title>").unwrap();
        let (title, _) = title.split_once("</title>").unwrap();
        let counts: Vec<usize> = title.split(' ').map(|n| n.parse().unwrap()).collect();
        assert_eq!(counts[0], 0, "{name} has equal names");
        assert_eq!(counts[1], counts[2], "{name}: moves and marks");
        all += counts[1];
    }
    assert!(all > 0, "no node moves elements");
}

/// The page of a model of the corpus for Cortex-M.
fn page_of_project(trial: &Trial) -> String {
    let models = kiln_testing::corpus::Corpus::open().unwrap();
    let models = models.suite("quantised_cm").unwrap();
    let model = models.case("ds_cnn").unwrap().file("pt2");
    let model = model.to_str().unwrap();
    trial.stdout(&[
        "explain",
        model,
        "--target",
        "cortex-m4",
        "--html",
        "page.html",
    ]);
    std::fs::read_to_string(trial.path("page.html")).unwrap()
}

/// The picture of the arena has the buffers that the report has, at the same places.
#[test]
fn the_page_of_a_project_draws_its_arena() {
    let trial = Trial::new();
    let page = page_of_project(&trial);
    let models = kiln_testing::corpus::Corpus::open().unwrap();
    let models = models.suite("quantised_cm").unwrap();
    let model = models.case("ds_cnn").unwrap().file("pt2");
    let model = model.to_str().unwrap();
    let report = trial.stdout(&["explain", model, "--target", "cortex-m4", "--json"]);
    let report: Value = serde_json::from_str(&report).unwrap();
    let memory = &report["memory"];
    let size = format!(
        "arena {} bytes (line), lower bound of these calls {} (dashes)",
        memory["arena_bytes"], memory["arena_lower_bound"]
    );
    assert!(page.contains(&size), "{size}");
    for buffer in memory["buffers"].as_array().unwrap() {
        let name = buffer["name"].as_str().unwrap();
        let (from, bytes) = (
            buffer["offset"].as_u64().unwrap(),
            buffer["bytes"].as_u64().unwrap(),
        );
        assert!(page.contains(&format!(">{name}</text>")), "{name}");
        // An input and an output are written and read as a whole, outside of the calls.
        let text = format!("{name}: i8[{bytes}]\nbytes {from} to {}", from + bytes);
        let is_whole = ["input", "output"]
            .iter()
            .any(|kind| page.contains(&format!("{kind} {text}")));
        assert!(
            is_whole || page.contains(&format!("value {name}: ")),
            "{text}"
        );
    }
    let kinds =
        ["input", "output"].map(|kind| page.matches(&format!("<g class=\"block {kind}\"")).count());
    assert_eq!(kinds, [1, 1]);
}

#[test]
fn the_arena_is_shown_in_a_browser() {
    let Some(browser) = kiln_testing::part::BROWSER.find() else {
        return;
    };
    let trial = Trial::new();
    let page = page_of_project(&trial);
    let click = "document.getElementById('which').click();\
                 document.querySelector('.block').dispatchEvent(new MouseEvent('click'));";
    let dom = shown(&browser, &trial, &page, WIDE, click);
    assert!(
        dom.contains("<svg id=\"view\" role=\"img\" aria-label=\"the graph\" viewBox="),
        "{dom}"
    );
    let (_, peak) = dom.split_once("<p id=\"peak\">").unwrap();
    let (peak, _) = peak.split_once("</p>").unwrap();
    assert!(peak.starts_with("input x: i8[490]\nbytes "), "{peak}");
    assert!(
        peak.contains("\n\nMost is held: 9280 bytes at call "),
        "{peak}"
    );
    assert!(dom.contains("<button id=\"which\">graph</button>"), "{dom}");
    // A C project has no delegates.
    assert!(
        dom.contains("<span data-kind=\"delegate\">kernel</span>"),
        "{dom}"
    );
}

/// No text of the picture is smaller than 10 pixels, and none leaves the window.
#[test]
fn the_memory_is_legible_at_both_widths() {
    let Some(browser) = kiln_testing::part::BROWSER.find() else {
        return;
    };
    let trial = Trial::new();
    let checks = "document.getElementById('which').click(); \
        const texts = [...arena.querySelectorAll('text:not([hidden])')], found = []; \
        texts.forEach(text => { \
          const { a, b } = text.getScreenCTM(), pixels = text.getAttribute('font-size') * Math.hypot(a, b); \
          const { left, right, bottom } = text.getBoundingClientRect(), room = arena.getBoundingClientRect(); \
          if (pixels < 9.99) found.push(`${text.textContent}: ${pixels} pixels`); \
          if (left < room.left - 1 || right > room.right + 1 || bottom > room.bottom + 1) found.push(`${text.textContent} is outside`); }); \
        const of = kind => arena.querySelectorAll(`${kind}:not([hidden])`).length; \
        document.title = `${of('.call')} calls, ${of('.block > text')} names: ${found.join(', ') || 'fine'}`;";
    for page in [page_of_project(&trial), page(&trial)] {
        for width in [WIDE, 500] {
            let dom = shown(&browser, &trial, &page, width, checks);
            let (_, title) = dom.split_once("<title>").unwrap();
            let (title, _) = title.split_once("</title>").unwrap();
            assert!(title.ends_with(": fine"), "{width}: {title}");
            assert!(
                !title.starts_with("0 calls") && !title.contains(" 0 names"),
                "{title}"
            );
        }
    }
}

/// Programs have such a picture too: the buffers between calls and delegates.
#[test]
fn the_page_of_a_program_draws_its_planned_memory() {
    let page = page(&Trial::new());
    assert!(page.contains("<svg class=\"arena\""), "{page}");
    for part in [
        "input ids: i64[3]\nbytes ",
        "value embedding: f32[3, 4]\nbytes ",
        "output exp: f32[4, 3]\nbytes ",
        "made by aten::index.Tensor_out of embedding",
        "made by delegate 0",
    ] {
        assert!(page.contains(part), "no {part:?} in\n{page}");
    }
}
