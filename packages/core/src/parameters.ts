import { decodeBody, hasMediaType, type ParameterList, parseParameters, type ServerRequest } from '@mintmark/internal'
import type { ClientRecord } from '@mintmark/storage-interface'

import { refuse } from './refusals.ts'

/**
 * Reads the form body of a POST. The query is not read (RFC 6749 §3.2).
 * @param atMost the maximum number of parameters.
 * @throws OAuthError invalid_request — reason `body_not_a_form` | `parameters_malformed`.
 */
export function readForm(request: ServerRequest, atMost = maxParameters): Parameters {
  // RFC 6749 §3.2: parameters are sent as application/x-www-form-urlencoded. Other bodies are refused.
  if (!isPlainForm(request)) {
    throw refuse('body_not_a_form')
  }
  return readParameters(decodeBody(request.body), atMost)
}

/** Whether the body is a form in UTF-8 (RFC 6749 Appendix B), with one content type. */
const isPlainForm = (request: ServerRequest): boolean =>
  hasMediaType(request, ['application/x-www-form-urlencoded']) && !request.repeatedHeaders.has('content-type')

/**
 * Reads the query of a GET.
 * @param atMost the maximum number of parameters.
 * @throws OAuthError invalid_request — reason `parameters_malformed`.
 */
export const readQuery = (request: ServerRequest, atMost = maxParameters): Parameters =>
  readParameters(request.url.search.slice(1), atMost)

function readParameters(text: string | undefined, atMost: number): Parameters {
  const list = text === undefined ? undefined : parseParameters(text, atMost)
  // RFC 6749 Appendix B: escapes must be well-formed and UTF-8.
  if (list === undefined || 'malformed' in list) {
    throw refuse('parameters_malformed')
  }
  return indexParameters(list)
}

/**
 * Returns the parameters if none except `resource` is repeated.
 * @throws OAuthError invalid_request — reason `parameter_repeated`.
 */
export function refuseRepeated(parameters: Parameters): Parameters {
  // RFC 6749 §3.1 and §3.2: parameters must not repeat; resource may (RFC 8707 §2).
  if (parameters.names.some((name) => name !== 'resource' && parameters.isRepeated(name))) {
    throw refuse('parameter_repeated')
  }
  return parameters
}

/** More than any standard request has. */
const maxParameters = 64

/**
 * Returns the `token` parameter of introspection and revocation (RFC 7662 §2.1, RFC 7009 §2.1).
 * @throws OAuthError invalid_request — reason `token_missing`.
 */
export function requireToken(form: Parameters, { clientId }: Pick<ClientRecord, 'clientId'>): string {
  const token = form.get('token')
  // RFC 7662 §2.1, RFC 7009 §2.1: token is required.
  if (token === undefined) throw refuse('token_missing', { clientId })
  return token
}

/**
 * Request parameters by name (RFC 6749 §3.1). An empty value is treated as absent. Repeated names are kept, because the
 * endpoint decides how to refuse them.
 */
export interface Parameters {
  /** The first value that is not empty; `undefined` if there is none. */
  get(name: string): string | undefined
  /** All values of a name that may repeat, such as `resource` (RFC 8707 §2). */
  all(name: string): readonly string[]
  /** Whether the name occurs more than once. */
  isRepeated(name: string): boolean
  /** The distinct names. */
  readonly names: readonly string[]
}

export function indexParameters(list: ParameterList): Parameters {
  const received = new Map<string, string[]>()
  for (const [name, value] of list) {
    const known = received.get(name)
    if (known === undefined) received.set(name, [value])
    else known.push(value)
  }

  return {
    get(name) {
      const values = received.get(name)
      // Nearly every name occurs once, and a request is asked for dozens of names.
      return values?.[0] === '' ? values.find(isPresent) : values?.[0]
    },
    all: (name) => (received.get(name) ?? []).filter(isPresent),
    isRepeated: (name) => (received.get(name)?.length ?? 0) > 1,
    names: [...received.keys()],
  }
}

const isPresent = (value: string): boolean => value !== ''

/**
 * Returns the distinct values of a space-separated list, in the order received, which has no meaning (RFC 6749 §3.3).
 */
export const splitAtSpaces = (value: string | undefined): readonly string[] =>
  value === undefined ? [] : [...new Set(value.split(' ').filter((item) => item !== ''))]
