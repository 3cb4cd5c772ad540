/**
 * Adds the first sentence of each page to its entry in `llms.txt`, so that a program can choose pages without reading
 * them. Decisions and lists of exports get none: their titles say what they are about.
 * @param read returns the Markdown version of a page.
 */
export function withSentences(index: string, read: (path: string) => string): string {
  return index.replaceAll(/^- \[.*\]\(\/(.+\.md)\)$/gm, (line, path: string) => {
    const sentence = /^(?:adr|reference\/api)\//.test(path) ? '' : firstSentence(read(path))
    return sentence === '' ? line : `${line}: ${sentence}`
  })
}

function firstSentence(page: string): string {
  const paragraph = page.split('\n\n').find((text) => /^[\w`*[]/.test(text)) ?? ''
  const text = paragraph.replaceAll(/\s+/g, ' ').replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
  return /^.*?[.:](?= |$)/.exec(text)?.[0].replace(/:$/, '.') ?? text
}
