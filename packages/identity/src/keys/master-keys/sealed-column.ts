/**
 * A column of sealed texts, as the noun that seals them describes it to `wireMasterKeys`. Every name is written in
 * code, none comes from a caller.
 */
export interface SealedColumn {
  table: string
  /** Column with the id of the row. */
  key: string
  /** The sealed text; null where there is none. An SQL expression where it is inside of a document. */
  column: string
  /** SQL that puts the text `new_text` there; the column itself without it. */
  assignment?: string
  /** Which rows may have one. */
  where?: string
  /** What the value is bound to; `<table>|<id>|<column>` without it. */
  place?: (id: string) => string
}
