//! The torch.export archive: reader and writer.
