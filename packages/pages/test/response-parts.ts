import type { ServerResponse } from '@mintmark/core/http'
import { readHtml, type Token } from './html-reader.ts'

/** Returns the value of a header. Throws if the header is repeated. */
export function headerOf(response: ServerResponse, name: string): string | undefined {
  const values = response.headers.filter(([header]) => header.toLowerCase() === name.toLowerCase())
  if (values.length > 1) throw new Error(`${name} is set ${values.length} times`)
  return values[0]?.[1]
}

/** Returns the document as tokens of an HTML parser. */
export const tokensOf = (response: ServerResponse): readonly Token[] => readHtml(bodyOf(response))

/** Returns the document as a string. */
export function bodyOf({ body }: ServerResponse): string {
  if (typeof body !== 'string') throw new Error('The body of the page is not a string.')
  return body
}
