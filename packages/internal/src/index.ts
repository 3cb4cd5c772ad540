export { isCompactJws } from './compact-jws.ts'
export { isSecretUseDue, systemClock, elapsed } from './clock.ts'
export type { Clock } from './clock.ts'
export {
  equalInConstantTime,
  decodeBase64url,
  encodeBase64url,
  digestSecret,
  hmacSha256,
  sha256,
  nodeBuiltin,
  nodeCrypto,
  identifierSeries,
  randomIdentifier,
  randomSecret,
  randomSecretAndIdentifier,
  systemRandom,
} from './crypto.ts'
export { forgetOldest } from './forget-oldest.ts'
export { createTurns, runAtOnce, runInTurns } from './turns.ts'
export type { Pieces, Turns } from './turns.ts'
export {
  aFlag,
  aFunction,
  anObject,
  anything,
  aText,
  checkOptions,
  listOf,
  oneOf,
  optionsOf,
  wholeNumber,
} from './options.ts'
export type { OptionCheck, OptionChecks } from './options.ts'
export type { Random } from './crypto.ts'
export { clearCookie, defineCookie, readCookie, setCookie } from './http/cookie.ts'
export type { CookieDefinition } from './http/cookie.ts'
export type {
  CrossOrigin,
  RegisteredOrigins,
  Admission,
  DeclaredBody,
  Endpoint,
  Exchange,
  HttpService,
  Route,
  RouteEndpoint,
  ServiceOptions,
} from './http/service.ts'
export { createJournal, logEvent } from './http/journal.ts'
export type { EventStamp, Journal, LoggedEvent, Logger } from './http/journal.ts'
export {
  allowHeader,
  decodeBody,
  decodeComponent,
  decodeSegment,
  hasMediaType,
  isJsonObject,
  json,
  mediaType,
  noStore,
  parseJsonObject,
  parseParameters,
  readyResponse,
  redirect,
  withHeaders,
  withoutBody,
} from './http/message.ts'
export type {
  Header,
  MalformedParameters,
  ParameterList,
  ReadBody,
  ReceivedRequest,
  RequestHead,
  ServerRequest,
  ServerResponse,
} from './http/message.ts'
export { createRouter, matchPatterns } from './http/routes.ts'
export type { PathRoute, RenderError } from './http/routes.ts'
export { createService, readRequest } from './http/service.ts'
