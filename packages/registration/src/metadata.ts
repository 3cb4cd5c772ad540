import { type ClientRegistration } from '@mintmark/core'
import {
  type ClientChange,
  completeMetadata,
  clientMetadata,
  hostOrScheme,
  type MetadataRule,
} from '@mintmark/core/internal'
import { cleanName } from '@mintmark/internal'
import type { ClientRecord, JsonObject, JsonValue } from '@mintmark/storage-interface'

import { refuse } from './refusals.ts'

/**
 * Reads client metadata (RFC 7591 §2). Ignores members that this server does not know, as the section requires, and
 * members that only administrators may set.
 * @throws RegistrationError metadata_invalid | redirect_uri_invalid.
 */
export function readMetadata(body: JsonObject): ClientRegistration {
  const metadata = Object.fromEntries(
    members.flatMap((member) => {
      const value = body[member.wireName]
      return value === undefined || value === null ? [] : [[member.name, readMember(member, value)]]
    }),
  )
  const redirectUris = (metadata['redirectUris'] ?? []) as readonly string[]
  const name = metadata['clientName']
  return {
    // RFC 7591 §2: the default for a client that names no method.
    tokenEndpointAuthMethod: 'client_secret_basic',
    // The consent page shows the name. Without one, it shows the host to which the user is redirected.
    clientName: redirectUris.map(hostOrScheme).find((host) => host !== undefined) ?? 'Application',
    ...metadata,
    // RFC 7591 §2: the server may replace a value, and the answer contains what was registered.
    ...(typeof name === 'string' && { clientName: cleanName(name) }),
    ...readScope(body['scope']),
  }
}

/** Returns the metadata of a client as they were registered (RFC 7591 §3.2.1). */
export function renderMetadata(client: ClientRecord): JsonObject {
  const values = Object.entries(client) as readonly (readonly [string, JsonValue | undefined])[]
  const entries = members.flatMap(({ name, wireName }) => {
    const value = values.find(([key]) => key === name)?.[1]
    return value === undefined ? [] : [[wireName, value] as const]
  })
  return {
    ...Object.fromEntries(entries),
    response_types: client.grantTypes.includes('authorization_code') ? ['code'] : [],
    scope: client.scopes.join(' '),
  }
}

/** Returns a value for every member that a client may set: from the metadata, or else the default (RFC 7592 §2.2). */
export function toClientChange(metadata: ClientRegistration): ClientChange {
  const complete = Object.entries(completeMetadata(metadata))
  return Object.fromEntries(complete.filter(([name]) => name === 'scopes' || members.some((own) => own.name === name)))
}

const rules: readonly (readonly [string, MetadataRule])[] = Object.entries(clientMetadata)

/** The members that a client may set, with their names in JSON. `scope` is a string there, and is read separately. */
const members = rules.flatMap(([name, rule]) =>
  rule.setBy === 'administrator' || name === 'scopes' ? [] : [{ name, wireName: wireNameOf(name), rule }],
)

/** The members that contain addresses. */
export const addressMembers = members.filter(({ rule }) => rule.isAddress === true)

function wireNameOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

function readMember({ name, wireName, rule }: (typeof members)[number], value: JsonValue): JsonValue {
  const isString = (text: JsonValue): boolean => typeof text === 'string' && text.length <= (rule.maxLength ?? 2000)
  // `client_secret` is not a method of RFC 7591 §2. Only administrators may use this name.
  const isListed = typeof value === 'string' && value !== 'client_secret' && rule.values?.includes(value) === true
  const checks: Readonly<Record<MetadataRule['kind'], boolean>> = {
    string: isString(value),
    strings: Array.isArray(value) && value.length <= (rule.maxItems ?? 100) && value.every(isString),
    method: isListed,
    algorithm: isListed,
    choice: isListed,
    boolean: typeof value === 'boolean',
    seconds: typeof value === 'number',
    object: typeof value === 'object' && !Array.isArray(value),
  }
  if (checks[rule.kind]) return value
  if (name === 'redirectUris')
    throw refuse('redirect_uri_invalid', { description: 'redirect_uris must be an array of URIs.' })
  const expected =
    rule.values === undefined
      ? ''
      : ` The possible values are ${rule.values.filter((method) => method !== 'client_secret').join(', ')}.`
  throw refuse('metadata_invalid', { description: `${wireName} is not valid.${expected}` })
}

function readScope(scope: JsonValue | undefined): { readonly scopes?: readonly string[] } {
  if (scope === undefined || scope === null) return {}
  if (typeof scope !== 'string' || scope.length > 10_000)
    throw refuse('metadata_invalid', {
      description: 'scope must be a string of values separated by spaces.',
    })
  const scopes = [...new Set(scope.split(' ').filter((value) => value !== ''))]
  // RFC 7591 §2: without a value the server chooses. Some libraries send an empty string for that.
  return scopes.length === 0 ? {} : { scopes }
}
