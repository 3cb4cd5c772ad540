// One file, because the helpers that build a record from its definition serve only the records below.
import { codes } from '../authorization-code.ts'
import { clients } from '../client.ts'
import { decoupledRequests } from '../decoupled-request.ts'
import { deliveries, type NewDelivery } from '../delivery.ts'
import { grants } from '../grant.ts'
import type { NewGroup } from '../group.ts'
import {
  epochSeconds,
  groupId,
  providerId,
  sessionId,
  userId,
  jsonText,
  type JsonObject,
  type JsonText,
} from '../values.ts'
import { identityProviders } from '../identity-provider.ts'
import { interactions } from '../interaction.ts'
import { opaqueTokens } from '../opaque-token.ts'
import type { NewProvisionedUser } from '../provisioned-user.ts'
import { pushedRequests } from '../pushed-request.ts'
import type { Field, Fields, RecordOfFields, SecretRecord } from '../records/define-record.ts'
import { sessions } from '../session.ts'
import { signingKeys } from '../signing-key.ts'
import { families } from '../token-family.ts'
import { users, type NewUser } from '../user.ts'
import { webhooks } from '../webhook.ts'
import { aDigest, nowPlus } from './fixtures.ts'
import { aGroup, aProvisionedUser } from './provisioning-fixtures.ts'

/** Text that a faulty store might truncate, quote, case-fold or interpret. */
export const richText = `"double" 'single' \\ \`back\` -- ; /* */ %_ \${x} <b>&amp;</b>\t\r\n é e\u0301 漢字 עברית 😀 \u2028 null [object Object]`

/** Longer than a page of most databases. */
const longText = `${'long '.repeat(20_000)}end`

/** JSON that a faulty reader might damage: keys that are names of prototype members, empty members, extreme numbers. */
export const richJson = JSON.parse(`{
  "__proto__": { "polluted": true },
  "constructor": { "prototype": { "polluted": true } },
  "toString": "text",
  "": "empty key",
  "a.b[0]$": "path-like key",
  "empty": { "list": [], "object": {}, "text": "", "nothing": null },
  "numbers": [0, -1, 1.5, 9007199254740991, 1e-7],
  "truth": [true, false, null],
  "text": ${JSON.stringify(richText)},
  "nul": "\\u0000"
}`) as JsonObject

/** The same JSON as a comparable form may contain it: without U+0000. */
const richComparable: JsonObject = Object.fromEntries(Object.entries(richJson).filter(([key]) => key !== 'nul'))

/**
 * JSON text that changes when a store parses and serialises it: white space, key order, a duplicate key, numbers,
 * escapes.
 */
export const richJsonText = ` {"z" : 1.0, "10":1e2,"2": 12345678901234567890, "a":"\\u0041\\/\\ud800\\u0000",
  "twice":1,"twice":2, "__proto__": {}, "text": ${JSON.stringify(richText)} }\n` as JsonText

/**
 * Returns a record that has every member, each with a different value, so that a lost or exchanged column is detected. Identifiers
 * with the same name have the same value in all records, so that a code, for example, belongs to the client.
 */
function completeRecord<Of extends Fields>(fields: Of, chosen: Partial<RecordOfFields<Of>> = {}): RecordOfFields<Of> {
  const members = Object.entries(fields).map(([name, field], index) => [name, completeValue(name, field, index + 1)])
  return { ...Object.fromEntries(members), ...chosen } as RecordOfFields<Of>
}

function completeValue(name: string, field: Field, index: number): unknown {
  switch (field.kind) {
    case 'text':
    case 'jsonText':
      return field.values?.at(-1) ?? completeText(name)
    case 'integer':
      return 100 + index
    case 'time':
      return timeOf(name, index)
    case 'flag':
      return true
    case 'json':
    case 'searchable':
      return { ...richJson, [name]: longText }
    case 'list':
      if (field.element?.kind === 'json') return [{ ...richJson, [name]: longText }, {}, { [name]: 'b' }]
      return [`b ${name}`, richText, '', `a ${name}`, `b ${name}`]
    case 'object':
    case 'spread':
      return completeRecord(field.fields ?? {})
    default:
      return completeSecrets(name)
  }
}

function completeText(name: string): string {
  if (name.endsWith('igest')) return aDigest(`full-${name}`)
  return name.endsWith('Id') ? `full-${name}` : `${name} ${richText}`
}

const completeSecrets = (name: string): readonly SecretRecord[] => [
  { digest: aDigest(`${name}-1`), createdAt: nowPlus(1), expiresAt: nowPlus(2), lastUsedAt: nowPlus(3) },
  { digest: aDigest(`${name}-2`), createdAt: nowPlus(4), expiresAt: undefined, lastUsedAt: nowPlus(5) },
  { digest: aDigest(`${name}-3`), createdAt: nowPlus(6), expiresAt: nowPlus(7), lastUsedAt: undefined },
]

/** Returns a record without its optional members, whose lists, objects, strings and numbers are empty: absent, empty and zero differ. */
function sparseRecord<Of extends Fields>(fields: Of, chosen: Partial<RecordOfFields<Of>> = {}): RecordOfFields<Of> {
  const members = Object.entries(fields).map(([name, field]) => [
    name,
    field.optional ? undefined : sparseValue(name, field),
  ])
  return { ...Object.fromEntries(members), ...chosen } as RecordOfFields<Of>
}

function sparseValue(name: string, field: Field): unknown {
  switch (field.kind) {
    case 'text':
    case 'jsonText':
      return field.values?.[0] ?? sparseText(name)
    case 'integer':
      return 0
    case 'time':
      return timeOf(name, 0)
    case 'flag':
      return false
    case 'json':
    case 'searchable':
      return {}
    case 'object':
    case 'spread':
      return sparseRecord(field.fields ?? {})
    default:
      return []
  }
}

function sparseText(name: string): string {
  if (name.endsWith('igest')) return aDigest(`sparse-${name}`)
  return name.endsWith('Id') ? `sparse-${name}` : ''
}

/** Returns a time for a member. A record expires long after all its other times. */
const timeOf = (name: string, index: number) => nowPlus(name.endsWith('xpiresAt') ? 5000 + index : index)

export const fullClient = completeRecord(clients.fields)
export const sparseClient = sparseRecord(clients.fields, { defaultMaxAge: 0 })

export const fullUser: NewUser = newUser(completeRecord(users.fields))
export const sparseUser: NewUser = newUser(sparseRecord(users.fields))

export const fullGrant = completeRecord(grants.fields)
export const sparseGrant = sparseRecord(grants.fields)

export const fullCode = completeRecord(codes.fields, { codeChallengeMethod: 'S256' })
export const sparseCode = sparseRecord(codes.fields, { codeChallengeMethod: 'exempt' })
/** Its optional members are present and empty. */
export const emptyCode = sparseRecord(codes.fields, {
  digest: aDigest('empty-code'),
  nonce: '',
  codeChallenge: '',
  claimsRequest: {},
  authentication: {
    ...sparseCode.authentication,
    acr: '',
    sessionId: sessionId(''),
    sessionExpiresAt: epochSeconds(0),
  },
})

const completeFamily = completeRecord(families.fields)
const completeRefresh = present(completeFamily.refresh)
export const fullFamily = {
  ...completeFamily,
  refresh: { ...completeRefresh, previousDigest: present(completeRefresh.previousDigest) },
}
export const sparseFamily = sparseRecord(families.fields)

export const fullOpaqueToken = completeRecord(opaqueTokens.fields, { revokedAt: undefined })
export const sparseOpaqueToken = sparseRecord(opaqueTokens.fields)

const richParameters = Object.fromEntries([
  ['__proto__', 'own'],
  ['state', longText],
  ['nonce', '\u0000'],
  ['scope', ''],
  ['toString', richText],
]) as Readonly<Record<string, string>>

const completeInteraction = completeRecord(interactions.fields, { parameters: richParameters })
export const fullInteraction = { ...completeInteraction, login: present(completeInteraction.login) }
export const sparseInteraction = sparseRecord(interactions.fields)

export const fullPushedRequest = completeRecord(pushedRequests.fields, { parameters: richParameters })
export const sparsePushedRequest = sparseRecord(pushedRequests.fields)

const completeDecoupled = completeRecord(decoupledRequests.fields)
export const fullDecoupledRequest = { ...completeDecoupled, approval: present(completeDecoupled.approval) }
export const sparseDecoupledRequest = sparseRecord(decoupledRequests.fields)

const completeSession = completeRecord(sessions.fields)
export const fullSession = {
  ...completeSession,
  userId: present(completeSession.userId),
  digest: present(completeSession.digest),
}
/** The members of `fullSession` that a join stores. */
export const joinedSession = {
  sessionId: fullSession.sessionId,
  userId: fullSession.userId,
  userGeneration: fullSession.userGeneration,
  authTime: fullSession.authTime,
  acr: fullSession.acr,
  amr: fullSession.amr,
  userAgent: fullSession.userAgent,
  location: fullSession.location,
  keptUntil: fullSession.keptUntil,
}
/** A session of the host. */
export const sparseSession = {
  ...sparseRecord(sessions.fields, { keptUntil: nowPlus(5000) }),
  userId: fullSession.userId,
}

export const fullSigningKey = completeRecord(signingKeys.fields)
export const sparseSigningKey = sparseRecord(signingKeys.fields)

export const fullWebhook = completeRecord(webhooks.fields)
export const sparseWebhook = sparseRecord(webhooks.fields)

const completeDelivery = completeRecord(deliveries.fields)
export const fullDelivery: NewDelivery = {
  deliveryId: completeDelivery.deliveryId,
  dedupeKey: completeDelivery.dedupeKey,
  channel: completeDelivery.channel,
  recipient: completeDelivery.recipient,
  lane: completeDelivery.lane,
  sequence: completeDelivery.sequence,
  content: completeDelivery.content,
  createdAt: completeDelivery.createdAt,
  expiresAt: completeDelivery.expiresAt,
  keptUntil: completeDelivery.keptUntil,
}

export const fullProvider = completeRecord(identityProviders.fields)
export const sparseProvider = sparseRecord(identityProviders.fields)

export const fullProvisionedUser = {
  providerId: providerId('full-provider'),
  userId: userId('full-provisioned'),
  state: {
    active: false,
    externalId: `external ${richText}`,
    resource: jsonText({ ...richJson, long: longText }),
    renderKey: `form ${richText}`,
    comparable: { ...richComparable, userName: `name ${richText}`, long: longText },
    claims: { claim: richJson },
  },
  createdAt: nowPlus(45),
} satisfies NewProvisionedUser

export const fullGroup = {
  providerId: providerId('full-provider'),
  groupId: groupId('full-group'),
  state: {
    externalId: `group ${richText}`,
    displayName: longText,
    resource: { group: richJson },
    comparable: { ...richComparable, displayName: `display ${richText}` },
  },
  memberIds: [userId('full-provisioned')],
  createdAt: nowPlus(46),
} satisfies NewGroup

export const sparseProvisionedUser: NewProvisionedUser = aProvisionedUser('sparse', {
  state: {
    active: true,
    externalId: undefined,
    resource: jsonText({}),
    renderKey: undefined,
    comparable: { userName: '' },
    claims: {},
  },
})

export const sparseGroup: NewGroup = aGroup('sparse', {
  groupId: groupId('sparse-group'),
  state: { externalId: undefined, displayName: '', resource: {}, comparable: {} },
})

/** An empty `externalId` is present, and can be looked up. */
export const emptyProvisionedUser: NewProvisionedUser = aProvisionedUser('empty', {
  state: { ...sparseProvisionedUser.state, externalId: '', comparable: { userName: 'empty' } },
})

function newUser({ userId: id, claims, createdAt }: RecordOfFields<typeof users.fields>): NewUser {
  return { userId: id, claims, createdAt }
}

/** Returns an optional member of a complete record. */
function present<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('A complete record must have every member.')
  return value
}
