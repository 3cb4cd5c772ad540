import type { ServerResponse as OutgoingMessage } from 'node:http'
import type { ServerResponse } from '@mintmark/core/http'

/**
 * Sets status and headers; nothing is sent yet. They replace what the host had set under the same names, so that no policy
 * or cache rule is said twice; only cookies are added to the host's.
 * @param length of the body in bytes; undefined when there is none.
 * @throws TypeError ERR_INVALID_CHAR when a name or value cannot stand in a header, such as one with a line break.
 */
export function writeHead(
  response: OutgoingMessage,
  { status, headers }: ServerResponse,
  length: number | undefined,
): void {
  // Middleware that puts its own `writeHead` there, as on-headers does for sessions and compression, looks for headers that were set:
  // before 1.1.0 it reads a list of them as something else, and all are lost.
  const isWatched = Object.hasOwn(response, 'writeHead')
  if (length !== undefined && !isWatched && response.getHeaderNames().length === 0) {
    // Nothing to replace: all of them at once cost Node less than each by itself.
    const namesAndValues: string[] = []
    for (const [name, value] of headers) namesAndValues.push(name, value)
    namesAndValues.push('Content-Length', String(length))
    response.writeHead(status, namesAndValues)
    return
  }
  response.statusCode = status
  for (const [name] of headers) if (name.toLowerCase() !== 'set-cookie') response.removeHeader(name)
  for (const [name, value] of headers) response.appendHeader(name, value)
  if (length !== undefined) response.setHeader('Content-Length', length)
}
