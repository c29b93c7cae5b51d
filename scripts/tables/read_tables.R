# An example in R, without packages: the headline of a run, worked out from attempts.csv alone, beside metrics.csv.
#
# Usage: Rscript read_tables.R RUN
run <- commandArgs(trailingOnly = TRUE)[1]
read <- function(name) read.csv(file.path(run, name), na.strings = "", stringsAsFactors = FALSE)

attempts <- subset(read("attempts.csv"), status == "ok")
side <- function(name) attempts[attempts$side == name, c("case_id", "attempt", "continuation_reads")]
pairs <- merge(side("baseline"), side("candidate"), by = c("case_id", "attempt"), suffixes = c("_base", "_cand"))
deltas <- tapply(pairs$continuation_reads_cand - pairs$continuation_reads_base, pairs$case_id, mean)

metrics <- read("metrics.csv")
kept <- metrics$delta[metrics$split == "all" & metrics$metric == "continuation_reads"]
cat(sprintf("continuation reads: %.6f from attempts.csv, %.6f in metrics.csv\n", mean(deltas), kept))
print(t.test(deltas)$conf.int)
stopifnot(abs(mean(deltas) - kept) < 5e-7)
