import { randomDatedIdentifier, type Random } from '@mintmark/internal'
import {
  after,
  type EpochSeconds,
  familyId,
  type JsonObject,
  seconds,
  type OAuthStorage,
} from '@mintmark/storage-interface'
import { type Lineage, maxParents } from '@mintmark/storage-interface/stores'

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
import { isSameKey } from '../../permissions/status.ts'
import { refuse } from '../../refusals.ts'
import type { ProvenPossession } from '../../sender/proven-possession.ts'
import { defineGrant, type GrantType, type UserDecision } from '../../tokens/grant.ts'
import { refuseFormerMember } from '../issue.ts'
import {
  accessTokenType,
  proveActor,
  proveSubject,
  type ProvenSubject,
  type SubjectDependencies,
} from './exchange-subject.ts'
import { decideIdJag, type IdJagDependencies, idJagTokenType } from './id-jag.ts'
import {
  type ExchangeRule,
  isForSubject,
  type TokenExchangeSettings,
  whatHostAllows,
} from '../../permissions/exchange-policy.ts'

type TokenExchangeDependencies = SubjectDependencies &
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
 * Creates the token exchange grant (RFC 8693): a client exchanges a token of a user for one with which it acts on behalf
 * of the user at another API. The new token never permits more than the presented one, expires with it, and is
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
      const subject = await proveSubject({ form, client, rules }, now, deps)
      await proveActor({ form, client }, now, deps)
      const { rule, resources } = requestedTarget(form, { client, rules, subject }, deps)
      requireBinding(subject, rule, possession)
      const lineage = lineageOf(subject, client, rule)
      const scopes = narrowedScopes(form.get('scope'), { client, subject, rule })
      const allowed = await whatHostAllows({ client, subject, rule, scopes, resources }, deps)
      const target = withinSubject(resolveTarget({ ...allowed, client }, deps), subject, now)
      const forUser = await storeChild({ subject, client, target, lineage }, now, deps)
      const exchange = { mode: rule.mode, lineage, clientNames: subject.clientNames }
      return { evidence: subject, client, possession, target, forUser, refreshToken: undefined, exchange }
    },
  })

/** @throws OAuthError unauthorized_client — reason `client_public`. */
function refusePublic({ clientId, tokenEndpointAuthMethod }: AuthenticatedClient): void {
  // RFC 8693 §5, ID-JAG §9.1: otherwise a stolen token could be exchanged by anybody.
  if (tokenEndpointAuthMethod === 'none') throw refuse('client_public_grant', { clientId })
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
  const { client, subject } = request
  const rules = request.rules.filter((rule) => isForSubject(rule, subject.kind))
  const asked = [...form.all('resource'), ...form.all('audience')]
  const permitted = [...new Set(rules.flatMap(({ audiences }) => audiences))]
  const named = asked.length > 0 || permitted.length > 1 ? asked : permitted
  const resources = requestedResources({ named, scopes: [], client }, deps)
  const rule = rules.find(({ audiences }) => resources.every((uri) => audiences.includes(uri)))
  // RFC 8693 §2.2.2: no rule permits tokens for the named APIs, or the request names none of several.
  if (rule === undefined || resources.length === 0) throw refuse('exchange_target', { userId: subject.user.userId })
  return { rule, resources }
}

/** @throws OAuthError access_denied — reason `exchange_binding`. */
function requireBinding(
  { possession: bound, user }: ProvenSubject,
  rule: ExchangeRule,
  proven: ProvenPossession,
): void {
  if (bound.kind === 'none' || isSameKey(bound, proven)) return
  // RFC 9449 §1: whoever does not hold the key may have stolen the token, and the new token must be bound as well.
  if (rule.acceptsBound !== true || proven.kind === 'none') throw refuse('exchange_binding', { userId: user.userId })
}

/**
 * Returns what the new token descends from: nothing for an ID token, with which the user has signed in to the client itself.
 * @throws OAuthError access_denied — reason `exchange_too_deep`.
 */
function lineageOf(subject: ProvenSubject, client: AuthenticatedClient, rule: ExchangeRule): Lineage | undefined {
  const { origins, presented, user } = subject
  if (origins === undefined) return undefined
  // RFC 8693 §4.1: without a limit, every hop makes tokens and their checks longer.
  if (origins.parents.length > Math.min(rule.maxDepth ?? 1, maxParents))
    throw refuse('exchange_too_deep', { userId: user.userId })
  const { clientId } = client
  // RFC 8693 §4.1: the current actor is the outermost.
  const actor: JsonObject = {
    sub: clientId,
    client_id: clientId,
    ...(presented.act !== undefined && { act: presented.act }),
  }
  const act = rule.mode === 'delegation' ? actor : presented.act
  return act === undefined ? origins : { ...origins, act }
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
function withinSubject(target: TokenTarget, { expiresAt }: ProvenSubject, now: EpochSeconds): TokenTarget {
  return { ...target, lifetime: seconds(Math.min(target.lifetime, expiresAt - now)) }
}

/** Stores the family of the new token: it has the grant, the session, the sign-in and the organization of the presented token. */
async function storeChild(
  child: {
    readonly subject: ProvenSubject
    readonly client: AuthenticatedClient
    readonly target: TokenTarget
    readonly lineage: Lineage | undefined
  },
  now: EpochSeconds,
  { storage, random }: { readonly storage: OAuthStorage; readonly random: Random },
): Promise<UserDecision> {
  const { subject, client, target, lineage } = child
  const { granted, user } = subject
  const { grantId, userId, boundSessionId, organizationId, authentication } = granted
  const organization = organizationId && (await organizationOfGrant({ organizationId, userId }, storage))
  const family = {
    grantId,
    userId,
    boundSessionId,
    organizationId,
    authentication,
    familyId: familyId(randomDatedIdentifier(random, now)),
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
  if (organization !== undefined) await refuseFormerMember(family, { organization, now }, storage)
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
