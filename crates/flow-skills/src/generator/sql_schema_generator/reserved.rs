//! Reserved words of each database: a name that is one must be quoted.
//!
//! PostgreSQL 15: `pg_get_keywords()`, categories R and T. MySQL: what MariaDB 10.11 refuses as the name of a table or a
//! column, and the words that the MySQL 8.4 manual adds. SQLite 3.40: what it refuses, and its names of constants.

use crate::data::SqlDialect;

/// Reserved by PostgreSQL.
const POSTGRES: &str = " all analyse analyze and any array as asc asymmetric authorization binary both case cast check collate \
    collation column concurrently constraint create cross current_catalog current_date current_role \
    current_schema current_time current_timestamp current_user default deferrable desc distinct do else end \
    except false fetch for foreign freeze from full grant group having ilike in initially inner intersect \
    into is isnull join lateral leading left like limit localtime localtimestamp natural not notnull null \
    offset on only or order outer overlaps placing primary references returning right select session_user \
    similar some symmetric table tablesample then to trailing true union unique user using variadic verbose \
    when where window with ";

/// Reserved by MySQL or MariaDB.
const MYSQL: &str = " accessible add all alter analyze and as asc asensitive before between bigint binary blob both by call \
    cascade case change char character check collate column condition constraint continue convert create \
    cross cube cume_dist current_date current_role current_time current_timestamp current_user cursor \
    databases day_hour day_microsecond day_minute day_second dec decimal declare default delayed delete \
    delete_domain_id dense_rank desc describe deterministic distinct distinctrow div do_domain_ids double \
    drop dual each else elseif empty enclosed escaped except exists exit explain false fetch first_value \
    float float4 float8 for force foreign from fulltext function grant group grouping groups having \
    high_priority hour_microsecond hour_minute hour_second if ignore ignore_domain_ids in index infile inner \
    inout insensitive insert int int1 int2 int3 int4 int8 integer intersect interval into is iterate join \
    json_table key keys kill lag last_value lateral lead leading leave left library like limit linear lines \
    load localtime localtimestamp lock long longblob longtext loop low_priority manual \
    master_demote_to_replica master_demote_to_slave master_ssl_verify_server_cert match maxvalue mediumblob \
    mediumint mediumtext middleint minute_microsecond minute_second mod modifies natural no_write_to_binlog \
    not nth_value ntile null numeric of offset on optimize optionally or order out outer outfile over \
    page_checksum parallel parse_vcol_expr partition percent_rank portion precision primary procedure purge \
    qualify range rank read read_write reads real recursive ref_system_id references regexp release rename \
    repeat replace require resignal restrict return returning revoke right rlike row row_number rows schemas \
    second_microsecond select sensitive separator set show signal smallint spatial specific sql \
    sql_big_result sql_calc_found_rows sql_small_result sqlexception sqlstate sqlwarning ssl starting \
    stats_auto_recalc stats_persistent stats_sample_pages straight_join system table tablesample terminated \
    then tinyblob tinyint tinytext to trailing trigger true undo union unique unlock unsigned update usage \
    use using utc_date utc_time utc_timestamp values varbinary varchar varcharacter varying when where while \
    window with write xor year_month zerofill ";

/// Reserved by SQLite.
const SQLITE: &str = " add all alter and as autoincrement between case cast check collate commit constraint create current_date \
    current_time current_timestamp default deferrable delete distinct drop else escape except exists false \
    foreign from group having if in index insert intersect into is isnull join limit not nothing notnull \
    null on or order primary raise references returning select set table then to transaction true union \
    unique update using values when where ";

/// Whether a dialect reserves a word.
pub(super) fn is_reserved(word: &str, dialect: SqlDialect) -> bool {
    let words = match dialect {
        SqlDialect::Postgres => POSTGRES,
        SqlDialect::MySql => MYSQL,
        SqlDialect::Sqlite => SQLITE,
    };
    words.contains(&format!(" {} ", word.to_ascii_lowercase()))
}
