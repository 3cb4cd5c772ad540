import { seconds } from '@mintmark/storage-interface'
import { aClientRecord } from '@mintmark/storage-interface/fixtures'
import fc from 'fast-check'
import { expect, it } from 'vitest'

import { OAuthError } from '../refusals.ts'
import { requestedResources, type ResourceRules, usableScopes } from '../permissions/resources.ts'
import { addDecision, type GrantedOnPage, grantedResources, isConsented } from './consent-per-api.ts'

const [notes, payments] = ['https://notes.test', 'https://payments.test']
const scopesOf = { [notes]: ['read', 'edit'], [payments]: ['read', 'write', 'send'] }
const scopeValues = ['openid', 'read', 'edit', 'write', 'send', 'other']

const rules: ResourceRules = {
  issuer: 'https://as.test',
  identityScopes: new Set(['openid']),
  resources: new Map(
    Object.entries(scopesOf).map(([uri, scopes]) => [
      uri,
      { uri, name: uri, scopes, accessTokenLifetime: seconds(600), accessTokenFormat: 'jwt' },
    ]),
  ),
}
const deps = { rules, detailTypes: new Map() }
const client = aClientRecord({ scopes: scopeValues, resources: [notes, payments] })

/** A request as the server understands it; `undefined` when it is refused. */
function aRequest(requested: readonly string[], named: readonly string[]) {
  try {
    const resources = requestedResources({ named, scopes: requested, client }, rules)
    const consentScopes = usableScopes(requested, { resources }, rules)
    const consentResources = resources.filter((uri) => uri !== rules.issuer)
    return { consentScopes, resources, consentResources, details: [] }
  } catch (error) {
    if (error instanceof OAuthError) return undefined
    throw error
  }
}

type Request = NonNullable<ReturnType<typeof aRequest>>

/** What a page shows: each scope value of an API, with each of the APIs that define it, or with none. */
const pairsOf = ({ consentScopes, consentResources, resources }: Request): readonly (readonly [string, string])[] =>
  consentScopes
    .filter((scope) => scope !== 'openid')
    .flatMap((scope) => {
      if (resources.length === 0) return [[scope, 'default'] as const]
      const apis = consentResources.filter((uri) => rules.resources.get(uri)?.scopes.includes(scope) === true)
      return apis.map((uri) => [scope, uri] as const)
    })

const subsets = <Value>(values: readonly Value[]): readonly (readonly Value[])[] =>
  values.reduce<readonly (readonly Value[])[]>(
    (found, value) => [...found, ...found.map((one) => [...one, value])],
    [[]],
  )

const everyRequest = subsets(scopeValues).flatMap((requested) =>
  subsets([notes, payments]).flatMap((named) => aRequest(requested, named) ?? []),
)

const aDecision = fc.record({ request: fc.constantFrom(...everyRequest), unchecked: fc.subarray(scopeValues) })

it('law: consent covers a request only if the user has last granted each of its scope values at each of its APIs (RFC 8707 §3)', () => {
  fc.assert(
    fc.property(fc.array(aDecision, { maxLength: 8 }), (decisions) => {
      let grant: { readonly scopes: readonly string[]; readonly resources: readonly string[] } = {
        scopes: [],
        resources: [],
      }
      const last = new Map<string, boolean>()

      for (const { request, unchecked } of decisions) {
        const scopes = request.consentScopes.filter((scope) => !unchecked.includes(scope))
        const left = grantedResources(request, { scopes, details: [] }, deps)
        const isDenied = scopes.length === 0 || (left.length === 0 && request.resources.length > 0)
        const granted: GrantedOnPage = {
          scopes: isDenied ? [] : scopes,
          resources: isDenied ? [] : left.filter((uri) => request.consentResources.includes(uri)),
          audience: request.resources.length === 0 ? 'default' : 'apis',
        }
        const isKept = (shown: readonly string[], given: readonly string[]) => (value: string) =>
          !shown.includes(value) || given.includes(value)
        const kept = {
          scopes: grant.scopes.filter(isKept(request.consentScopes, granted.scopes)),
          resources: grant.resources.filter(isKept(request.consentResources, granted.resources)),
        }
        for (const [scope, api] of pairsOf(request)) last.set(`${scope} ${api}`, granted.scopes.includes(scope))

        grant = addDecision({ before: grant, kept }, granted, rules)

        const covered = everyRequest.filter((one) => isConsented(one, grant, rules))
        expect(covered.flatMap(pairsOf).filter(([scope, api]) => last.get(`${scope} ${api}`) !== true)).toEqual([])
        // The decision counts from now on.
        const same = { ...request, consentScopes: granted.scopes, consentResources: granted.resources }
        if (!isDenied) expect(isConsented(same, grant, rules)).toBe(true)
      }
    }),
  )
})

const addToEarlierConsent = (granted: GrantedOnPage) => {
  const before = { scopes: ['openid', 'edit'], resources: [notes] }
  return addDecision({ before, kept: before }, granted, rules)
}

it.each([
  ['a scope value of another API', [payments], ['write'], ['openid', 'edit', 'write'], [notes, payments]],
  ['another scope value of the same API', [notes], ['read'], ['openid', 'edit', 'read'], [notes]],
  ['another API alone', [payments], ['openid'], ['openid', 'edit'], [notes, payments]],
])('keeps earlier consent when the user grants %s', (_, resources, granted, scopes, apis) => {
  expect(addToEarlierConsent({ scopes: granted, resources, audience: 'apis' })).toEqual({ scopes, resources: apis })
})

it.each([
  [
    'a scope value at another API, if the first API has it too',
    'apis',
    [payments],
    ['read'],
    ['openid', 'read'],
    [payments],
  ],
  ['the same scope value for the default audience', 'default', [], ['edit'], ['openid', 'edit'], []],
] as const)('forgets an API when the user grants %s (RFC 8707 §3)', (_, audience, resources, granted, scopes, apis) => {
  expect(addToEarlierConsent({ scopes: granted, resources, audience })).toEqual({ scopes, resources: apis })
})

it('keeps a scope value of the forgotten API if another API has it too', () => {
  const before = { scopes: ['read', 'edit'], resources: [notes, payments] }

  const left = addDecision({ before, kept: before }, { scopes: ['edit'], resources: [], audience: 'default' }, rules)

  expect(left).toEqual({ scopes: ['read', 'edit'], resources: [payments] })
})
