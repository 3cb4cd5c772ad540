import type { ServerResponse } from '@mintmark/core/http'
import { readHtml, type Token } from './html-reader.ts'

/** The header's only value. */
export function headerOf(response: ServerResponse, name: string): string | undefined {
  const values = response.headers.filter(([header]) => header.toLowerCase() === name.toLowerCase())
  if (values.length > 1) throw new Error(`${name} is set ${values.length} times`)
  return values[0]?.[1]
}

/** The document as a parser sees it. */
export const tokensOf = (response: ServerResponse): readonly Token[] => readHtml(bodyOf(response))

/** The document as text. */
export function bodyOf({ body }: ServerResponse): string {
  if (typeof body !== 'string') throw new Error('A page is text')
  return body
}
