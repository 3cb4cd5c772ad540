import ts from 'typescript'

/** The contents of the doc comment of a declaration. */
export interface DocComment {
  /** The text without tags, with each paragraph in one line. */
  readonly text: string
  /** The first sentence of `@defaultValue`, which is the value, and the other sentences, which are the reason. */
  readonly defaultValue: { readonly value: string; readonly reason: string } | undefined
}

/** Reads the doc comment of a symbol from its declarations. */
export function docCommentOf(symbol: ts.Symbol, checker: ts.TypeChecker): DocComment {
  const tag = symbol.getJsDocTags(checker).find(({ name }) => name === 'defaultValue')
  return {
    text: inLines(ts.displayPartsToString(symbol.getDocumentationComment(checker))),
    defaultValue: tag && valueAndReason(inLines(ts.displayPartsToString(tag.text))),
  }
}

/** Splits a text such as `60. It is short.` after the first sentence. */
function valueAndReason(text: string): { readonly value: string; readonly reason: string } {
  const [, value = text, reason = ''] = /^(.*?)\.(?:\s+(.*))?$/s.exec(text) ?? []
  return { value, reason }
}

const inLines = (text: string): string =>
  text.replaceAll(/\n(?!\n|\s*[-*] )/g, (_, at: number) => (text[at - 1] === '\n' ? '\n' : ' ')).trim()
