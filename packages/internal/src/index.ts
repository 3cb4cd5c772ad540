export { certificateHeaders, decodeBase64, readCertificateHeader } from './certificate-header.ts'
export type { CertificateFormat } from './certificate-header.ts'
export { isCompactJws, readPlainHeader } from './compact-jws.ts'
export { isProofFor, isProofRecent, parseProof, proofAlgorithms } from './dpop-proof.ts'
export type { ParsedProof } from './dpop-proof.ts'
export {
  datedIdentifier,
  decodeBase64url,
  digestSecret,
  drawInBlocks,
  elapsed,
  encodeBase64url,
  equalInConstantTime,
  isSecretUseDue,
  hmacSha256,
  sha256,
  nodeBuiltin,
  nodeCrypto,
  identifierSeries,
  randomDatedIdentifier,
  randomIdentifier,
  randomIdentifiers,
  avoidLeadingSign,
  randomSecret,
  randomSecretAndIdentifier,
  systemClock,
  systemRandom,
} from './runtime.ts'
export type { Clock, Random } from './runtime.ts'
export { cacheLatest, createRecentMap, forgetOldest } from './caches.ts'
export { chunksOf } from './chunks.ts'
export { type Capacity, createCapacity } from './http/capacity.ts'
export { createQueues, createSharedWork } from './queues.ts'
export { createTurns, inOnePiece, mapInPieces, runAtOnce, runInTurns } from './turns.ts'
export type { Pieces, Turns } from './turns.ts'
export {
  aBoolean,
  aFunction,
  aListOfStrings,
  aNumber,
  anObject,
  anObjectWith,
  aStorage,
  aNonEmptyString,
  aString,
  aStringMatching,
  checkOptions,
  listOf,
  oneOf,
  optionsOf,
  required,
  utf8Length,
  wholeNumber,
} from '@mintmark/storage-interface/stores'
export type { OptionCheck, OptionChecks, RequiredOption } from '@mintmark/storage-interface/stores'
export { misspelledNameOf, nearestOf } from './nearest.ts'
export { isStorable, isTooDeep, repeatsMember } from './json-text.ts'
export { defineRefusals } from './refusals.ts'
export type { RefusalRow } from './refusals.ts'
export { findResourceName, isSameResource } from './resource-identifier.ts'
export { defineCookie } from './http/cookie.ts'
export type { Cookie } from './http/cookie.ts'
export type {
  CrossOrigin,
  AllowsOrigin,
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
export { cleanName, isCleanName } from './http/names.ts'
export { isLoopbackHost, parseIssuer, parseServerIssuer } from './http/issuer.ts'
export {
  allowHeader,
  compareEntityTags,
  decodeBody,
  decodeComponent,
  decodeSegment,
  hasMediaType,
  isJsonObject,
  json,
  mediaType,
  noStore,
  parseJson,
  parseJsonObject,
  parseParameters,
  parseQuery,
  readBounded,
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
export { afterPreparation, createRouter, matchPatterns } from './http/routes.ts'
export type { PathRoute, RenderError } from './http/routes.ts'
export { checkServices, createService, readRequest, stopIfAbandoned } from './http/service.ts'
