//! Names in DDL.

use indexmap::IndexMap;
use sqlparser::ast::{Ident, ObjectName};

use crate::data::SqlDialect;
use crate::text::lists;

/// The key that a name means: the same one, else the first that differs only by case.
pub(super) fn spelling<'a, V>(all: &'a IndexMap<String, V>, name: &str) -> Option<&'a String> {
    let exact = all.get_key_value(name).map(|(key, _)| key);
    exact.or_else(|| all.keys().find(|other| other.eq_ignore_ascii_case(name)))
}

/// Replaces names by the keys that they mean.
pub(super) fn respell<V>(list: &mut [String], all: &IndexMap<String, V>) {
    for name in list {
        if let Some(same) = spelling(all, name) {
            name.clone_from(same);
        }
    }
}

/// A name as the database stores it: PostgreSQL folds unquoted names.
pub(super) fn ident(ident: &Ident, dialect: Option<SqlDialect>) -> String {
    match (ident.quote_style, dialect) {
        (None, Some(SqlDialect::Postgres)) => ident.value.to_lowercase(),
        _ => ident.value.clone(),
    }
}

/// The last part of a name, as the database stores it.
pub(super) fn name(object: &ObjectName, dialect: Option<SqlDialect>) -> String {
    let part = object.0.last().and_then(|part| part.as_ident());
    part.map_or_else(|| object.to_string(), |own| ident(own, dialect))
}

/// The last part of a name, as written.
pub(super) fn last(object: &ObjectName) -> String {
    name(object, None)
}

/// The schema that `CREATE SCHEMA` creates: its name, else that of its owner.
pub(super) fn schema_created(text: &str) -> Option<String> {
    let words = text.split_whitespace().skip(2);
    let mut words =
        words.skip_while(|word| lists("IF NOT EXISTS AUTHORIZATION", &word.to_uppercase()));
    words.next().map(folded)
}

/// The schema of names without one after `SET search_path`, empty for the default one; nothing where `text` is another
/// statement.
pub(super) fn search_path(text: &str) -> Option<String> {
    text.get(..3).filter(|word| word.eq_ignore_ascii_case("SET"))?;
    let (head, list) = text.split_once('=').or_else(|| text.split_once(" TO "))?;
    let head = head.to_uppercase();
    let mut words = head.split_whitespace().skip(1).filter(|word| !lists("SESSION LOCAL", word));
    words.next().filter(|word| *word == "SEARCH_PATH")?;
    let mut names = list.split(',').map(|name| folded(name.trim()));
    Some(names.find(|name| name != "$user").unwrap_or_default())
}

/// A name of PostgreSQL, without its quotes or in small letters.
fn folded(name: &str) -> String {
    let inner = |quote: char| name.strip_prefix(quote)?.strip_suffix(quote);
    inner('"').or_else(|| inner('\'')).map_or_else(|| name.to_lowercase(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use crate::data::ddl::read;

    /// The tables of a text, with their schemas and columns.
    fn tables(text: &str) -> Vec<String> {
        let (model, _) = read(text).unwrap();
        let table = |(name, entity): (&String, &crate::data::Entity)| {
            let schema = entity.table.as_ref().and_then(|table| table.schema.clone());
            let columns: Vec<&str> =
                entity.shape.object.properties.keys().map(String::as_str).collect();
            format!("{}.{name}({})", schema.unwrap_or_default(), columns.join(","))
        };
        model.entities.iter().map(table).collect()
    }

    #[test]
    fn create_schema_and_search_path_give_tables_their_schema() {
        let inside = "CREATE SCHEMA Person\n  CREATE TABLE a (id serial)\n  CREATE TABLE b (id bigserial, \"create\" int);\nCREATE TABLE c (id int);";
        assert_eq!(tables(inside), ["person.a(id)", "person.b(id,create)", ".c(id)"]);
        let path = "SET search_path = sales, pg_catalog;\nCREATE TABLE a (id serial);\nALTER TABLE ONLY a ADD COLUMN b int;\n\
                    SET search_path TO \"$user\", public;\nCREATE TABLE c (id int);";
        assert_eq!(tables(path), ["sales.a(id,b)", ".c(id)"]);
    }

    #[test]
    fn a_name_that_is_a_word_of_alter_table_hides_no_change() {
        let text = "CREATE TABLE engines (id int); ALTER TABLE engines ADD COLUMN enable boolean;\
                    ALTER TABLE engines ENABLE ROW LEVEL SECURITY; ALTER TABLE engines ALTER COLUMN id SET STATISTICS 9;";
        assert_eq!(tables(text), [".engines(id,enable)"]);
    }

    #[test]
    fn bytes_of_another_encoding_matter_in_tables_alone() {
        let rows = "CREATE TABLE a (id int); INSERT INTO a VALUES ('M\u{fffd}nchen');";
        assert_eq!(tables(rows), [".a(id)"]);
        let fault = read("CREATE TABLE a (\"stra\u{fffd}e\" int);").unwrap_err().to_string();
        assert!(fault.contains("not UTF-8, at line 1"), "{fault}");
    }
}
