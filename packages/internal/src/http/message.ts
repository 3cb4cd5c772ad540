// Over 250 lines: HTTP requests and responses as plain values, and the functions that read and create them.
import type { JsonObject, JsonValue } from '@mintmark/storage-interface'

/** The part of an HTTP request that comes before its body, as a plain value. */
export interface RequestHead<Host = unknown> {
  /** In capitals, as received. */
  readonly method: string
  /** The configured origin with the request's path and query; the `Host` header is ignored. */
  readonly url: URL
  /**
   * By lower-case name. The values of a header that arrived several times are joined by `, ` (RFC 9110 §5.3), cookies
   * by `; ` (RFC 9113 §8.2.3), and the name is in `repeatedHeaders`.
   */
  readonly headers: ReadonlyMap<string, string>
  /** Lower-case names of headers that arrived more than once. */
  readonly repeatedHeaders: ReadonlySet<string>
  /** The request as the host's framework has it: Express's or Node's request, or a Fetch `Request`. */
  readonly host: Host
  /**
   * Calls back when the response has been sent, or the client has disconnected: until then, the response occupies
   * memory. With Fetch, it calls back when the runtime has read the response. Undefined where the adapter cannot know.
   */
  readonly sent?: ((done: () => void) => void) | undefined
  /**
   * Returns a signal that is aborted when the client disconnects before it has the response. It is a function, because
   * few requests take so long that they need a signal. Undefined where the adapter cannot know.
   */
  readonly signal?: (() => AbortSignal) | undefined
  /**
   * Returns whether the client has disconnected before it has the response. If absent, `signal` says so; creating a signal
   * takes longer than many a step of a request.
   */
  readonly isAbandoned?: (() => boolean) | undefined
}

/** An HTTP request as a plain value. Adapters create it; endpoints depend on no framework. */
export interface ServerRequest<Host = unknown> extends RequestHead<Host> {
  /** The raw bytes: a parsed body would have lost repeated parameters. */
  readonly body: Uint8Array
}

/**
 * Reads the bytes of a body, once.
 * @param limit in bytes. Reading stops when the body exceeds it.
 * @returns `aborted` when the client disconnected, or the host sent its own response, before the end.
 */
export type ReadBody = (limit: number) => Promise<Uint8Array | 'too_large' | 'aborted'>

/** A request whose body may not have been read yet. */
export type ReceivedRequest<Host = unknown> = ServerRequest<Host> | UnreadRequest<Host>

interface UnreadRequest<Host> extends RequestHead<Host> {
  readonly body: ReadBody
}

/**
 * Compares the value of If-Match or If-None-Match with the entity tag of an existing resource (RFC 9110 §13.1.1,
 * §13.1.2). An asterisk matches every tag, but only if it is the whole value. Tags are compared weakly (§8.8.3.2),
 * because compressing proxies turn strong tags into weak ones.
 * @returns `malformed` when no tag of the value matches and it contains something that is not a tag.
 */
export function compareEntityTags(condition: string, tag: string): 'match' | 'no_match' | 'malformed' {
  if (condition.trim() === '*') return 'match'
  // A tag may contain commas (§8.8.3), and items of a list may be empty (§5.6.1.2).
  const listed = (condition.match(/(?:[^",]|"[^"]*"|")+/g) ?? []).map((item) => item.trim())
  if (listed.some((item) => opaqueTag(item) === opaqueTag(tag))) return 'match'
  return listed.every((item) => item === '' || /^(?:W\/)?"[^"]*"$/.test(item)) ? 'no_match' : 'malformed'
}

const opaqueTag = (tag: string): string => (tag.startsWith('W/') ? tag.slice(2) : tag)

/** Returns the media type of the body, in lower case and without parameters; `undefined` when absent or malformed. */
export function mediaType(request: Pick<RequestHead, 'headers'>): string | undefined {
  const header = request.headers.get('content-type')
  if (header === undefined || header.includes(',')) return undefined
  return header.split(';', 1)[0]?.trim().toLowerCase()
}

/**
 * Whether the body has one of the media types, in UTF-8 and not compressed. Other bodies would be misread. `utf8` is a
 * common spelling of UTF-8, and US-ASCII is a part of it. So is the ASCII part of ISO-8859-1, which Apache HttpClient 4
 * states by default.
 */
export function hasMediaType(request: Pick<ServerRequest, 'headers' | 'body'>, types: readonly string[]): boolean {
  const contentType = request.headers.get('content-type') ?? ''
  const isCompressed = (request.headers.get('content-encoding') ?? 'identity') !== 'identity'
  // Most clients send no parameters.
  if (types.includes(contentType)) return !isCompressed
  const charsets = [...contentType.matchAll(/;\s*charset\s*=([^;]*)/gi)].map(([, name = '']) => name.trim())
  return (
    types.includes(mediaType(request) ?? '') &&
    charsets.every((name) => isUtf8(name) || (extendsAscii(name) && request.body.every((byte) => byte < 0x80))) &&
    !isCompressed
  )
}

const isUtf8 = (charset: string): boolean => /^"?(?:utf-?8|us-ascii)"?$/i.test(charset)

const extendsAscii = (charset: string): boolean => /^"?(?:iso-8859-\d{1,2}|latin1|windows-125\d)"?$/i.test(charset)

/** Decodes a UTF-8 body; `undefined` for other bytes. A byte order mark is kept, so that parsers refuse it. */
export function decodeBody(body: Uint8Array): string | undefined {
  try {
    return utf8.decode(body)
  } catch {
    // A fatal decoder throws on bytes that are not UTF-8.
    return undefined
  }
}

/**
 * Reads the body of a response from another server.
 * @param limit in bytes.
 * @returns `undefined` if the body is longer; the rest is not read.
 */
export async function readBounded(
  response: Response,
  limit: number,
  decoder: TextChunkDecoder = new TextDecoder(),
): Promise<string | undefined> {
  let text = ''
  let length = 0
  // Leaving the loop cancels the stream, which closes the connection.
  for await (const chunk of response.body ?? []) {
    length += chunk.length
    if (length > limit) return undefined
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

/** A `TextDecoder`, whose type is not global in every project that reads these declarations. */
interface TextChunkDecoder {
  decode(chunk?: Uint8Array, options?: { readonly stream?: boolean }): string
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Parses a JSON object; `undefined` for a string that is not JSON, or is another kind of value. */
export function parseJsonObject(text: string): JsonObject | undefined {
  const value = parseJson(text)
  return isJsonObject(value) ? value : undefined
}

export const isJsonObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Parses JSON; `undefined` for a string that is not JSON. */
export function parseJson(text: string): JsonValue | undefined {
  try {
    // The cast states what JSON.parse returns; its own type is `any`.
    return JSON.parse(text) as JsonValue
  } catch {
    // JSON.parse throws for a string that is not JSON.
    return undefined
  }
}

/** Parameters as received. Names may be repeated; the caller decides what that means. */
export type ParameterList = readonly (readonly [name: string, value: string])[]

/**
 * Why a form is malformed: `encoding` for a broken percent-escape or bytes that are not UTF-8, `too_many` for more
 * pairs than allowed.
 */
export type MalformedParameters = { readonly malformed: 'encoding' | 'too_many' }

/**
 * Decodes `application/x-www-form-urlencoded` strictly: unlike `URLSearchParams`, it refuses invalid escapes and bytes
 * that are not UTF-8 instead of guessing (RFC 6749 Appendix B).
 */
export function parseParameters(text: string, atMost: number): ParameterList | MalformedParameters {
  if (text === '') return []
  // Counted before anything is split: a megabyte of `&` must not become a million strings.
  if (countPairs(text) > atMost) return { malformed: 'too_many' }

  const parameters: (readonly [string, string])[] = []
  for (const pair of text.split('&')) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = decodeComponent(equals === -1 ? pair : pair.slice(0, equals))
    const value = decodeComponent(equals === -1 ? '' : pair.slice(equals + 1))
    if (name === undefined || value === undefined) return { malformed: 'encoding' }
    parameters.push([name, value])
  }
  return parameters
}

/**
 * Parses the query of a URL. A client that writes a space as `%20` writes a plus sign as itself, which RFC 3986 §3.4
 * allows; with any other client it is a space. Otherwise `kim+tag@example.com` would be found by nobody.
 */
export const parseQuery = (query: string, atMost: number): ParameterList | MalformedParameters =>
  parseParameters(query.includes('%20') ? query.replaceAll('+', '%2B') : query, atMost)

function countPairs(text: string): number {
  let pairs = 1
  for (let at = text.indexOf('&'); at !== -1; at = text.indexOf('&', at + 1)) pairs += 1
  return pairs
}

/** Decodes one name or value: `+` is a space, escapes must be UTF-8. `undefined` when malformed. */
export function decodeComponent(text: string): string | undefined {
  if (!text.includes('%')) return text.replaceAll('+', ' ')
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    // `decodeURIComponent` throws for escapes that are malformed or not UTF-8.
    return undefined
  }
}

/** Decodes a segment of a path. `undefined` when an escape is malformed or not UTF-8. */
export function decodeSegment(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment)
  } catch {
    // `decodeURIComponent` throws for malformed escapes.
    return undefined
  }
}

/** A header as name and value. A list of pairs keeps several `Set-Cookie` apart. */
export type Header = readonly [name: string, value: string]

/**
 * An HTTP response as a plain value. A frozen response is sent many times, so an adapter may cache what it derives from
 * it.
 */
export interface ServerResponse {
  readonly status: number
  readonly headers: readonly Header[]
  readonly body: string | Uint8Array | undefined
}

/** Tells every cache, including HTTP/1.0 caches, to store nothing (RFC 6749 §5.1). */
export const noStore: readonly Header[] = [
  ['Cache-Control', 'no-store'],
  ['Pragma', 'no-cache'],
]

/** Creates a JSON response. Add `noStore` unless the content is public. */
export function json(status: number, value: unknown, headers: readonly Header[] = []): ServerResponse {
  return {
    status,
    headers: [['Content-Type', 'application/json'], ['X-Content-Type-Options', 'nosniff'], ...headers],
    body: JSON.stringify(value),
  }
}

/**
 * Creates a redirect after which every method becomes GET: 303, never 307, so that a form with credentials is not sent
 * to the next address (RFC 9700 §4.12). It is not stored, and the next page does not receive this address as its
 * referrer.
 */
export function redirect(location: string, headers: readonly Header[] = []): ServerResponse {
  return {
    status: 303,
    headers: [['Location', location], ['Referrer-Policy', 'no-referrer'], ...noStore, ...headers],
    body: undefined,
  }
}

/** Creates the `Allow` header for the methods. GET includes HEAD (RFC 9110 §9.3.2). */
export const allowHeader = (methods: readonly string[]): Header => [
  'Allow',
  methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', '),
]

/** Returns the response with more headers after its own. */
export function withHeaders(response: ServerResponse, headers: readonly Header[]): ServerResponse {
  return headers.length === 0 ? response : { ...response, headers: [...response.headers, ...headers] }
}

/**
 * Returns the response to HEAD: the response to GET with the length of its body instead of the body (RFC 9110 §9.3.2).
 */
export function withoutBody(response: ServerResponse): ServerResponse {
  if (response.body === undefined) return response
  const { length } = typeof response.body === 'string' ? new TextEncoder().encode(response.body) : response.body
  return withHeaders({ ...response, body: undefined }, [['Content-Length', String(length)]])
}

/** Freezes a response that is created once and sent many times, such as a public document. */
export const readyResponse = (response: ServerResponse): ServerResponse =>
  Object.freeze({ ...response, headers: Object.freeze([...response.headers]) })

/**
 * Derives a response once from each ready response. Results for other responses are not cached: they may contain
 * tokens.
 */
export function onceForReady(
  derive: (response: ServerResponse) => ServerResponse,
): (response: ServerResponse) => ServerResponse {
  const cache = new WeakMap<ServerResponse, ServerResponse>()
  return (response) => {
    if (!Object.isFrozen(response)) return derive(response)
    const cached = cache.get(response)
    if (cached !== undefined) return cached
    const derived = readyResponse(derive(response))
    cache.set(response, derived)
    return derived
  }
}
