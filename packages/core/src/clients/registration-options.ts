import {
  aFunction,
  aListOfStrings,
  type Clock,
  listOf,
  oneOf,
  type OptionCheck,
  type OptionChecks,
  optionsOf,
  type Random,
  required,
  aStorage,
} from '@mintmark/internal'
import type { OAuthStorage } from '@mintmark/storage-interface'

import { isSigningAlgorithm, type SigningAlgorithms } from '../keys/ring.ts'
import type { ClientRules } from './check-metadata.ts'
import { securityProfiles } from './security-profile.ts'

/** What registering and changing a client needs. */
export interface RegistrationDependencies {
  readonly storage: OAuthStorage
  /** The server's key ring, to refuse algorithms that the server does not sign with. */
  readonly keys?: SigningAlgorithms | undefined
  /**
   * The origins that the server's option of the same name allows, so that addresses there can be registered.
   * @defaultValue None.
   */
  readonly dangerouslyAllowOutbound?: readonly string[] | undefined
  /**
   * Sends the request for the document of a sector (`sectorIdentifierUri`). It must reach only public addresses.
   * @defaultValue As in the server: on Node.js, requests to addresses that are not public are refused.
   */
  readonly fetch?: typeof globalThis.fetch | undefined
  /**
   * What the server accepts: `server.clientRules`. A client that the server would refuse is not registered, and no change
   * makes it one.
   * @defaultValue None. The client is not compared with what a server accepts.
   */
  readonly clientRules?: ClientRules | undefined
  readonly clock?: Clock
  readonly random?: Random
}

/** A key ring, or another object with its algorithms. */
export const signingAlgorithms: OptionCheck = (value) => {
  const algorithms: unknown = typeof value === 'object' && value !== null && Reflect.get(value, 'algorithms')
  return Array.isArray(algorithms) && algorithms.length > 0 && listOf(signingAlgorithm)(algorithms) === undefined
    ? undefined
    : 'must be a key ring'
}

const signingAlgorithm: OptionCheck = (value) =>
  typeof value === 'string' && isSigningAlgorithm(value) ? undefined : 'must be a signing algorithm'

/** `server.clientRules`: without one of its members, a rule would not apply. */
export const clientRules: OptionCheck = optionsOf<ClientRules>({
  scopes: required(aListOfStrings),
  resources: required(aListOfStrings),
  minimumProfile: required(oneOf(...securityProfiles)),
  ownAuthenticationMethods: required(aListOfStrings),
})

/** A misspelled name would leave a check out. */
export const registrationOptions: OptionChecks<RegistrationDependencies> = {
  storage: required(aStorage),
  keys: signingAlgorithms,
  dangerouslyAllowOutbound: aListOfStrings,
  fetch: aFunction,
  clientRules,
  clock: aFunction,
  random: aFunction,
}
