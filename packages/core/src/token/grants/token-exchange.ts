// Over 250 lines: all checks of an exchange are in this file, because a token that passes only some of them is stolen.
import { findResourceName, randomIdentifier, type Random } from '@mintmark/internal'
import {
  after,
  type Brand,
  type EpochSeconds,
  familyId,
  type JsonObject,
  seconds,
  type OAuthStorage,
} from '@mintmark/storage-interface'
import { type FamilyStatus, type Lineage, maxParents } from '@mintmark/storage-interface/stores'

import type { AuthenticatedClient } from '../../clients/authenticate.ts'
import { type Parameters, splitAtSpaces } from '../../parameters.ts'
import { organizationOfGrant } from '../../permissions/organization.ts'
import {
  requestedResources,
  resolveTarget,
  type TokenTarget,
  type TokenTargetDependencies,
} from '../../permissions/resources.ts'
import { registeredScopes } from '../../permissions/scopes.ts'
import { type Active, isSameKey } from '../../permissions/status.ts'
import { refuse } from '../../refusals.ts'
import type { ProvenPossession } from '../../sender/proven-possession.ts'
import {
  statusOfAccessToken,
  verifyAccessToken,
  type VerifiedAccessToken,
  type VerifyAccessTokenDependencies,
} from '../../tokens/access-token.ts'
import { defineGrant, type ExchangedTokens, type GrantType, type UserDecision } from '../../tokens/grant.ts'
import { refuseFormerMember } from '../issue.ts'
import { decideIdJag, type IdJagDependencies, idJagTokenType } from './id-jag.ts'
import { type ExchangeRule, type TokenExchangeSettings, whatHostAllows } from '../../permissions/exchange-policy.ts'

type TokenExchangeDependencies = VerifyAccessTokenDependencies &
  TokenTargetDependencies &
  IdJagDependencies & {
    readonly random: Random
    readonly tokenExchange: TokenExchangeSettings
    /** Whether clients get ID-JAGs too. */
    readonly issuesIdJags: boolean
  }

/** Returns the grant if the host has set one of its options. */
export const tokenExchangeGrants = ({
  tokenExchange,
  ...deps
}: Omit<TokenExchangeDependencies, 'tokenExchange'> & {
  readonly tokenExchange: TokenExchangeSettings | undefined
}): readonly GrantType[] =>
  tokenExchange === undefined && !deps.issuesIdJags
    ? []
    : [tokenExchangeGrant({ ...deps, tokenExchange: tokenExchange ?? { rules: [] } })]

/**
 * Creates the token exchange grant (RFC 8693): a client exchanges the access token of a user for one with which it acts
 * on behalf of the user at another API. The new token never permits more than the presented one, expires with it, and is
 * revoked with it.
 */
const tokenExchangeGrant = (deps: TokenExchangeDependencies): GrantType =>
  defineGrant({
    grantType: 'urn:ietf:params:oauth:grant-type:token-exchange',
    async decide(form, { client, possession }, now) {
      refusePublic(client)
      if (deps.issuesIdJags && form.get('requested_token_type') === idJagTokenType)
        return decideIdJag({ form, client, possession }, now, deps)
      const rules = rulesOf(client, deps.tokenExchange)
      refuseUnsupported(form)
      const subject = await proveSubject({ form, client }, now, deps)
      await proveActor({ form, client }, now, deps)
      const { rule, resources } = requestedTarget(form, { client, rules, subject }, deps)
      requireBinding(subject, rule, possession)
      const lineage = lineageOf(subject, client, rule)
      const scopes = narrowedScopes(form.get('scope'), { client, subject, rule })
      const allowed = await whatHostAllows({ client, subject: subject.family, rule, scopes, resources }, deps)
      const target = withinSubject(resolveTarget({ ...allowed, client }, deps), subject.token, now)
      const forUser = await storeChild({ subject, client, target, lineage }, now, deps)
      const exchange = { mode: rule.mode, lineage, clientNames: clientNamesOf(subject.token) }
      return { evidence: subject, client, possession, target, forUser, refreshToken: undefined, exchange }
    },
  })

/** A presented access token of a user that is active, and that the client may exchange. Only `proveSubject` creates it. */
type ProvenSubject = Brand<
  { readonly token: VerifiedAccessToken; readonly family: Active<FamilyStatus>; readonly scopes: readonly string[] },
  'ProvenSubject' | 'GrantEvidence'
>

interface ExchangeCall {
  readonly form: Parameters
  readonly client: AuthenticatedClient
}

/** @throws OAuthError unauthorized_client — reason `client_public:grant`. */
function refusePublic({ clientId, tokenEndpointAuthMethod }: AuthenticatedClient): void {
  // RFC 8693 §5, ID-JAG §9.1: otherwise a stolen token could be exchanged by anybody.
  if (tokenEndpointAuthMethod === 'none') throw refuse('client_public:grant', { clientId })
}

/** @throws OAuthError unauthorized_client — reason `exchange_not_permitted`. */
function rulesOf(client: AuthenticatedClient, { rules }: TokenExchangeSettings): readonly ExchangeRule[] {
  const own = rules.filter(({ clients }) => clients.includes(client.clientId))
  if (own.length === 0) throw refuse('exchange_not_permitted')
  return own
}

/** @throws OAuthError invalid_request — reason `exchange_unsupported`. */
function refuseUnsupported(form: Parameters): void {
  const requested = form.get('requested_token_type')
  // RFC 8693 §2.2.2: a type that is not supported. RFC 9396 §6: the client would believe that its token is narrower.
  if ((requested !== undefined && requested !== accessTokenType) || form.get('authorization_details') !== undefined)
    throw refuse('exchange_unsupported')
}

/** @throws OAuthError invalid_request — reason `subject_token_invalid`; access_denied — reason `exchange_without_standing`. */
async function proveSubject(
  { form, client }: ExchangeCall,
  now: EpochSeconds,
  deps: TokenExchangeDependencies,
): Promise<ProvenSubject> {
  const token = await readToken({ form, name: 'subject_token' }, now, deps)
  const status = token && (await statusOfAccessToken(token, now, deps.storage))
  // RFC 8693 §2.2.2: the token is not valid. A token that a client holds for itself has no user to act for.
  if (token === undefined || status?.kind !== 'user') throw refuse('subject_token_invalid')
  const isServed = token.audience.some((uri) => findResourceName(uri, client.servedAudiences) !== undefined)
  // RFC 8693 §2.1: the client got the token itself, or as the resource server that the token is for.
  if (token.clientId !== client.clientId && !isServed)
    throw refuse('exchange_without_standing', { userId: status.family.user.userId })
  return { token, family: status.family, scopes: status.scopes } as ProvenSubject
}

/**
 * Verifies the `actor_token`, if there is one: a token that the client holds for itself. The client has authenticated, so
 * it is the actor either way.
 * @throws OAuthError invalid_request — reason `actor_token_invalid`.
 */
async function proveActor(
  { form, client }: ExchangeCall,
  now: EpochSeconds,
  deps: TokenExchangeDependencies,
): Promise<void> {
  if (form.get('actor_token') === undefined && form.get('actor_token_type') === undefined) return
  const token = await readToken({ form, name: 'actor_token' }, now, deps)
  const status = token && (await statusOfAccessToken(token, now, deps.storage))
  // RFC 8693 §2.1, §5: a token of somebody else would let the client act in their name.
  if (status?.kind !== 'client' || status.client.clientId !== client.clientId) throw refuse('actor_token_invalid')
}

/** Reads a token with its type (RFC 8693 §2.1, §3). */
async function readToken(
  { form, name }: { readonly form: Parameters; readonly name: 'subject_token' | 'actor_token' },
  now: EpochSeconds,
  deps: TokenExchangeDependencies,
): Promise<VerifiedAccessToken | undefined> {
  const token = form.get(name)
  if (token === undefined || form.get(`${name}_type`) !== accessTokenType) return undefined
  return verifyAccessToken(token, now, deps)
}

/**
 * Determines the rule and the APIs: those that the request names, or the only one that the rules have.
 * @throws OAuthError invalid_target — reason `exchange_target` or one of `requestedResources`.
 */
function requestedTarget(
  form: Parameters,
  request: {
    readonly client: AuthenticatedClient
    readonly rules: readonly ExchangeRule[]
    readonly subject: ProvenSubject
  },
  deps: TokenExchangeDependencies,
): { readonly rule: ExchangeRule; readonly resources: readonly string[] } {
  const { client, rules, subject } = request
  const asked = [...form.all('resource'), ...form.all('audience')]
  const permitted = [...new Set(rules.flatMap(({ audiences }) => audiences))]
  const named = asked.length > 0 || permitted.length > 1 ? asked : permitted
  const resources = requestedResources({ named, scopes: [], client }, deps)
  const rule = rules.find(({ audiences }) => resources.every((uri) => audiences.includes(uri)))
  // RFC 8693 §2.2.2: no rule permits tokens for the named APIs, or the request names none of several.
  if (rule === undefined || resources.length === 0)
    throw refuse('exchange_target', { userId: subject.family.user.userId })
  return { rule, resources }
}

/** @throws OAuthError access_denied — reason `exchange_binding`. */
function requireBinding({ token, family }: ProvenSubject, rule: ExchangeRule, proven: ProvenPossession): void {
  const bound = token.possession
  if (bound.kind === 'none' || isSameKey(bound, proven)) return
  // RFC 9449 §1: whoever does not hold the key may have stolen the token, and the new token must be bound as well.
  if (rule.acceptsBound !== true || proven.kind === 'none')
    throw refuse('exchange_binding', { userId: family.user.userId })
}

/** @throws OAuthError access_denied — reason `exchange_too_deep`. */
function lineageOf({ token, family }: ProvenSubject, client: AuthenticatedClient, rule: ExchangeRule): Lineage {
  const before = family.family.lineage
  const parents = [...(before?.parents ?? []), family.family.familyId]
  // RFC 8693 §4.1: without a limit, every hop makes tokens and their checks longer.
  if (parents.length > Math.min(rule.maxDepth ?? 1, maxParents))
    throw refuse('exchange_too_deep', { userId: family.user.userId })
  const tokenIds = [...(before?.tokenIds ?? []), token.tokenId]
  const { clientId } = client
  // RFC 8693 §4.1: the current actor is the outermost.
  const actor: JsonObject = {
    sub: clientId,
    client_id: clientId,
    ...(before?.act !== undefined && { act: before.act }),
  }
  const act = rule.mode === 'delegation' ? actor : before?.act
  return act === undefined ? { parents, tokenIds } : { parents, tokenIds, act }
}

/**
 * Returns the scope values of the new token: the requested ones, or all that the presented token, the registration of the
 * client and the rule have in common.
 * @throws OAuthError invalid_scope — reason `scope_not_granted`.
 */
function narrowedScopes(
  requested: string | undefined,
  {
    client,
    subject,
    rule,
  }: { readonly client: AuthenticatedClient; readonly subject: ProvenSubject; readonly rule: ExchangeRule },
): readonly string[] {
  const available = registeredScopes(subject.scopes, client).filter(
    (scope) => scope !== 'offline_access' && rule.scopes?.includes(scope) !== false,
  )
  const scopes = requested === undefined ? available : splitAtSpaces(requested)
  const refusedScopes = scopes.filter((scope) => !available.includes(scope)).slice(0, 20)
  // RFC 8693 §2.2.2, RFC 6749 §5.2: an exchange narrows. A token without any of the values of the old one is useless.
  if (refusedScopes.length > 0 || (scopes.length === 0 && subject.scopes.length > 0))
    throw refuse('scope_not_granted', { clientId: client.clientId, refusedScopes, grantedScopes: available })
  return scopes
}

/** The new token expires no later than the presented one. */
function withinSubject(target: TokenTarget, { expiresAt }: VerifiedAccessToken, now: EpochSeconds): TokenTarget {
  return { ...target, lifetime: seconds(Math.min(target.lifetime, expiresAt - now)) }
}

/** Stores the family of the new token: it has the grant, the session and the organization of the presented token. */
async function storeChild(
  child: {
    readonly subject: ProvenSubject
    readonly client: AuthenticatedClient
    readonly target: TokenTarget
    readonly lineage: Lineage
  },
  now: EpochSeconds,
  { storage, random }: { readonly storage: OAuthStorage; readonly random: Random },
): Promise<UserDecision> {
  const { subject, client, target, lineage } = child
  const { family: parent, user } = subject.family
  const organization = parent.organizationId && (await organizationOfGrant(parent, storage))
  const family = {
    ...parent,
    familyId: familyId(randomIdentifier(random)),
    clientId: client.clientId,
    scopes: target.scopes,
    resources: target.audience,
    claimsRequest: undefined,
    possession: { kind: 'none' },
    authorizationDetails: [],
    lineage,
    refresh: undefined,
    createdAt: now,
    expiresAt: after(now, target.lifetime),
    revokedAt: undefined,
  } as const
  await storage.families.insert(family)
  // If the user was removed from the organization before the family was stored, the removal did not revoke the family.
  if (organization !== undefined) await refuseFormerMember(family, now, storage)
  const { grantId, boundSessionId, authentication } = parent
  const { familyId: id } = family
  return {
    user,
    grantId,
    familyId: id,
    boundSessionId,
    organization,
    authentication,
    claimsRequest: undefined,
    nonce: undefined,
  }
}

/** The names are in every token that this server mints. */
function clientNamesOf({ claims }: VerifiedAccessToken): ExchangedTokens['clientNames'] {
  const names = claims['client_ref']
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : []
}

/** The identifier of access tokens (RFC 8693 §3). */
export const accessTokenType = 'urn:ietf:params:oauth:token-type:access_token'
