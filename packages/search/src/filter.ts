/** A condition on a document; three interpreters read it: matches(document), toSql and (OpenSearch) toQuery. */
export type Filter =
  | { all: Filter[] }
  | { any: Filter[] }
  | { not: Filter }
  /** Dotted path of a field, for example `payload.order.id`; equal to the text form of one of the values. */
  | { path: string; in: readonly (string | number | boolean | null)[] }
  /** `*` stands for any characters. */
  | { path: string; like: string }
  | { path: string; missing: true }
  | {
      path: string
      above?: string | number
      below?: string | number
      atLeast?: string | number
      atMost?: string | number
    }
  /**
   * Every word of the text (words.ts) is the beginning of a word of the document; no word at all matches everything.
   */
  | { text: string }
