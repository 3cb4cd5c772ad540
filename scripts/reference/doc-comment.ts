import ts from 'typescript'

/** What the doc comment of a declaration says. */
export interface DocComment {
  /** Without tags, in one line for each paragraph. */
  readonly text: string
  /** The first sentence of `@defaultValue`, and the others: what it is, and why. */
  readonly defaultValue: { readonly value: string; readonly reason: string } | undefined
}

/** Reads the doc comment of a symbol, from whichever of its declarations has one. */
export function docCommentOf(symbol: ts.Symbol, checker: ts.TypeChecker): DocComment {
  const tag = symbol.getJsDocTags(checker).find(({ name }) => name === 'defaultValue')
  return {
    text: inLines(ts.displayPartsToString(symbol.getDocumentationComment(checker))),
    defaultValue: tag && valueAndReason(inLines(ts.displayPartsToString(tag.text))),
  }
}

/** `60. It is short.`: the value is what stands before the first full stop that ends a sentence. */
function valueAndReason(text: string): { readonly value: string; readonly reason: string } {
  const [, value = text, reason = ''] = /^(.*?)\.(?:\s+(.*))?$/s.exec(text) ?? []
  return { value, reason }
}

const inLines = (text: string): string =>
  text.replaceAll(/\n(?!\n|\s*[-*] )/g, (_, at: number) => (text[at - 1] === '\n' ? '\n' : ' ')).trim()
