import type { IncomingMessage } from 'node:http'
import type { ServerRequest } from '@mintmark/core/http'

/** A request as a plain value. */
export function readRequest(message: IncomingMessage, url: URL, body: Uint8Array): ServerRequest {
  return { method: message.method ?? '', url, ...readHeaders(message.rawHeaders), body }
}

/** From the raw list: Node's own collections drop repeated headers, and older ones throw on a header named `__proto__`. */
function readHeaders(raw: readonly string[]): Pick<ServerRequest, 'headers' | 'repeatedHeaders'> {
  const headers = new Map<string, string>()
  const repeatedHeaders = new Set<string>()
  for (let at = 0; at < raw.length; at += 2) {
    const key = raw[at]?.toLowerCase() ?? ''
    const value = raw[at + 1] ?? ''
    const before = headers.get(key)
    if (before !== undefined) repeatedHeaders.add(key)
    // RFC 9110 §5.3; cookies are the exception: a comma may be part of one (RFC 9113 §8.2.3).
    headers.set(key, before === undefined ? value : before + (key === 'cookie' ? '; ' : ', ') + value)
  }
  return { headers, repeatedHeaders }
}
