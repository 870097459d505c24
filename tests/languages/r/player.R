input <- file("stdin", "r")
while (length(line <- readLines(input, 1)) > 0) {
  if (grepl('"type":"init"', line)) {
    cat("ok\n")
  } else if (grepl('"type":"turn"', line)) {
    list <- sub('.*"legal":\\["(.*?)"\\].*', "\\1", line, perl = TRUE)
    cat(sample(strsplit(list, '","')[[1]], 1), "\n", sep = "")
  } else if (grepl('"type":"quit"', line)) {
    break
  }
}
