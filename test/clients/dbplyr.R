# dbplyr's SQL over RPostgreSQL, and DBI's calls for tables and columns.
suppressPackageStartupMessages({
	library(DBI)
	library(dplyr)
	library(dbplyr)
})

options(warn = -1) # RPostgreSQL's interface to dbplyr is an old one
tests <- 0
failures <- 0
ok <- function(good, name, detail = "") {
	good <- isTRUE(good)
	tests <<- tests + 1
	failures <<- failures + !good
	cat(if (good) "" else "not ", "ok ", tests, " - ", name, "\n", sep = "")
	if (!good) cat(paste0("# ", capture.output(print(detail))), sep = "\n")
}

connect <- function(role) dbConnect(RPostgreSQL::PostgreSQL(), user = role, host = Sys.getenv("PGHOST"), port = as.integer(Sys.getenv("PGPORT")),
	dbname = Sys.getenv("PGDATABASE"), password = Sys.getenv("PGPASSWORD"))
connection <- list(ana = connect("ana"), registrar = connect("registrar"))

# Equal, but that numbers may differ by 5 %: many times the noise of each question here.
near <- function(a, b) {
	nrow(b) > 0 && identical(dim(a), dim(b)) && identical(names(a), names(b)) &&
		all(mapply(function(x, y) if (is.numeric(y)) all(abs(x - y) <= 0.05 * abs(y)) else identical(x, y), a, b))
}

# The question is a function of a function that names tables: asked by ana, who may not read them, and by their owner.
answered <- function(name, question) {
	answers <- try(lapply(connection, function(c) as.data.frame(collect(question(function(schema, table) tbl(c, in_schema(schema, table)))))), silent = TRUE)
	if (inherits(answers, "try-error")) ok(FALSE, name, as.character(answers))
	else ok(near(answers$ana, answers$registrar), name, answers)
}

spent <- function() dbGetQuery(connection$ana, "SELECT sum(mu2) FROM gaussdp.my_journal")[[1]]
not_charged <- function(name, expected, action) {
	before <- spent()
	found <- try(action(), silent = TRUE)
	ok(identical(found, expected) && identical(before, spent()), name, list(found, before, spent()))
}

answered("count", function(t) t("shop", "orders") %>% count())
answered("tally by a column", function(t) t("shop", "orders") %>% count(channel) %>% arrange(channel))
answered("group_by, summarise, arrange", function(t) t("shop", "orders") %>% group_by(channel) %>%
	summarise(n = n(), total = sum(amount, na.rm = TRUE), mean = mean(pieces, na.rm = TRUE)) %>% arrange(desc(channel)))
answered("filter", function(t) t("shop", "orders") %>% filter(pieces > 3L, amount <= 150.5, channel %in% c("web", "shop"), !is.na(note)) %>% summarise(n = n()))
answered("filter, between and like", function(t) t("shop", "orders") %>% filter(between(pieces, 2L, 8L), channel %like% "w%") %>% summarise(n = n()))
answered("filter by dates", function(t) t("shop", "orders") %>% filter(ordered_on >= as.Date("2024-03-01"), ordered_on < "2024-09-01") %>% summarise(n = n()))
answered("mutate, case_when", function(t) t("shop", "customer") %>% mutate(old = case_when(age >= 65 ~ "old", age >= 40 ~ "middle", TRUE ~ "young")) %>%
	group_by(old) %>% summarise(n = n(), age = mean(age, na.rm = TRUE)) %>% arrange(old))
answered("bins", function(t) t("shop", "customer") %>% mutate(decade = floor(age / 10) * 10) %>% filter(decade > 10, decade < 80) %>% count(decade) %>% arrange(decade))
answered("if_else in summarise", function(t) t("shop", "customer") %>% summarise(share = mean(if_else(vip, 1, 0), na.rm = TRUE)))
answered("inner_join", function(t) t("shop", "orders") %>% inner_join(t("shop", "customer"), by = "customer_id") %>%
	group_by(region) %>% summarise(n = n(), total = sum(amount, na.rm = TRUE)) %>% arrange(region))
answered("left_join to a public table", function(t) t("shop", "customer") %>% left_join(t("shop", "region"), by = c("region" = "name")) %>%
	group_by(country) %>% summarise(n = n()) %>% arrange(country))
answered("semi_join", function(t) t("shop", "customer") %>% semi_join(t("shop", "orders") %>% filter(amount > 100), by = "customer_id") %>% summarise(n = n()))
answered("anti_join", function(t) t("shop", "customer") %>% anti_join(t("shop", "orders") %>% filter(amount > 100), by = "customer_id") %>% summarise(n = n()))
answered("n_distinct of people", function(t) t("shop", "orders") %>% filter(channel == "web") %>% summarise(n = n_distinct(customer_id)))
answered("one row for each person", function(t) t("shop", "orders") %>% group_by(customer_id) %>% summarise(n = n()) %>% ungroup() %>% summarise(mean = mean(n, na.rm = TRUE)))
answered("distinct people", function(t) t("shop", "orders") %>% filter(amount > 100) %>% distinct(customer_id) %>% summarise(n = n()))
answered("by month", function(t) t("shop", "orders") %>% mutate(m = sql("date_trunc('month', ordered_on)::date")) %>% group_by(m) %>% summarise(n = n()) %>% arrange(m))
answered("sd, median, quantile", function(t) t("shop", "customer") %>% summarise(sd = sd(age, na.rm = TRUE), m = median(age, na.rm = TRUE), q = quantile(age, 0.9, na.rm = TRUE)))
answered("filter after summarise", function(t) t("shop", "orders") %>% group_by(channel) %>% summarise(n = n()) %>% filter(n > 100) %>% arrange(channel))
answered("mutate after summarise", function(t) t("shop", "customer") %>% count(region) %>% mutate(share = n / sum(n, na.rm = TRUE)) %>% arrange(region))
answered("head", function(t) t("shop", "customer") %>% group_by(region) %>% summarise(age = mean(age, na.rm = TRUE)) %>% arrange(region) %>% head(2))
answered("select and rename first", function(t) t("clinic", "visit") %>% select(dept = department, cost) %>% group_by(dept) %>% summarise(cost = mean(cost, na.rm = TRUE)) %>% arrange(dept))
answered("dp_ calls", function(t) {
	if (identical(t("shop", "customer")$src$con, connection$ana)) t("shop", "customer") %>% summarise(n = dp_count(3, 1e-6), age = dp_avg(age, 3, 1e-6, 0L, 120L))
	else t("shop", "customer") %>% summarise(n = as.numeric(n()), age = mean(age, na.rm = TRUE))
})

# Columns without rows
names_of <- c("customer_id", "region", "age", "vip", "joined")
not_charged("tbl() learns of columns by a probe", names_of, function() colnames(tbl(connection$ana, in_schema("shop", "customer"))))
not_charged("collect() of no row", names_of, function() names(collect(head(tbl(connection$ana, in_schema("shop", "customer")), 0))))
not_charged("head(0) of groups", 0L, function() nrow(collect(tbl(connection$ana, in_schema("shop", "customer")) %>% count(region) %>% head(0))))
not_charged("show_query, explain", TRUE, function() {
	capture.output(show_query(tbl(connection$ana, in_schema("shop", "customer")) %>% count(region)),
		explain(tbl(connection$ana, in_schema("shop", "customer")) %>% count(region)))
	TRUE
})
for (role in names(connection)) invisible(dbGetQuery(connection[[role]], "SET search_path = shop, public"))
ok(all(c("customer", "orders", "region", "day") %in% dbListTables(connection$ana)), "dbListTables", dbListTables(connection$ana))
ok(dbExistsTable(connection$ana, "orders"), "dbExistsTable")
ok(identical(dbListFields(connection$ana, "customer"), names_of), "dbListFields", dbListFields(connection$ana, "customer"))
refused <- try(dbReadTable(connection$ana, "customer"), silent = TRUE)
ok(inherits(refused, "try-error"), "dbReadTable gives no row", refused)

cat("1..", tests, "\n", sep = "")
quit(status = as.integer(failures > 0))
