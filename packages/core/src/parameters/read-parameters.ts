import { decodeBody, hasMediaType, parseParameters, type ServerRequest } from '@mintmark/internal'
import { indexParameters, type Parameters } from './parameters.ts'
import { refuse } from '../refusals.ts'

/**
 * Reads the form body of a POST. The query is not read (RFC 6749 §3.2).
 * @param atMost how many parameters it may have.
 * @throws OAuthError invalid_request — reason `body_not_a_form` | `parameters_malformed`.
 */
export function readForm(request: ServerRequest, atMost = maxParameters): Parameters {
  // RFC 6749 §3.2: parameters come as application/x-www-form-urlencoded. A body of another type is not guessed at.
  if (!isPlainForm(request)) {
    throw refuse('body_not_a_form')
  }
  return readParameters(decodeBody(request.body), atMost)
}

/** A form in UTF-8 (RFC 6749 Appendix B), with one content type. */
const isPlainForm = (request: ServerRequest): boolean =>
  hasMediaType(request, ['application/x-www-form-urlencoded']) && !request.repeatedHeaders.has('content-type')

/**
 * Reads the query of a GET.
 * @param atMost how many parameters it may have.
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
 * The same parameters, none of which is repeated.
 * @throws OAuthError invalid_request — reason `parameter_repeated`.
 */
export function refuseRepeated(parameters: Parameters): Parameters {
  // RFC 6749 §3.1 and §3.2: parameters must not repeat; resource may (RFC 8707 §2).
  if (parameters.names.some((name) => name !== 'resource' && parameters.isRepeated(name))) {
    throw refuse('parameter_repeated')
  }
  return parameters
}

/** More than any request defined by a standard carries. */
const maxParameters = 64
