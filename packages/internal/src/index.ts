export { isCompactJws } from './compact-jws.ts'
export { isSecretUseDue, systemClock } from './clock.ts'
export type { Clock } from './clock.ts'
export { elapsed } from './elapsed.ts'
export { equalInConstantTime } from './equal-in-constant-time.ts'
export { forgetOldest } from './forget-oldest.ts'
export { decodeBase64url, encodeBase64url } from './platform/base64url.ts'
export { digestSecret, hmacSha256, sha256 } from './platform/digest.ts'
export { nodeCrypto } from './platform/node-crypto.ts'
export { identifierSeries, randomIdentifier, randomSecret, randomSecretAndIdentifier, systemRandom } from './random.ts'
export type { Random } from './random.ts'
export { clearCookie, defineCookie, readCookie, setCookie } from './http/cookie.ts'
export type { CookieDefinition } from './http/cookie.ts'
export type { CrossOrigin, RegisteredOrigins } from './http/cross-origin.ts'
export { createJournal } from './http/journal.ts'
export type { EventStamp, Journal } from './http/journal.ts'
export { logEvent } from './http/logger.ts'
export type { LoggedEvent, Logger } from './http/logger.ts'
export {
  allowHeader,
  decodeBody,
  hasMediaType,
  json,
  mediaType,
  noStore,
  readyResponse,
  redirect,
  withHeaders,
  withoutBody,
} from './http/message.ts'
export type { Header, ReadBody, ReceivedRequest, RequestHead, ServerRequest, ServerResponse } from './http/message.ts'
export { decodeComponent, parseParameters } from './http/parameters.ts'
export type { MalformedParameters, ParameterList } from './http/parameters.ts'
export { createRouter, decodeSegment, matchPatterns } from './http/routes.ts'
export type { PathRoute, RenderError } from './http/routes.ts'
export { createService, readRequest } from './http/service.ts'
export type {
  Admission,
  Endpoint,
  Exchange,
  HttpService,
  Route,
  RouteEndpoint,
  ServiceOptions,
} from './http/service.ts'
