import type { GuardName } from './guards.ts'

/** A guard whose loss would be worst, with a test file that fails without it. Every CI run weakens these guards. */
interface CriticalGuard extends GuardName {
  readonly test: string
}

export const criticalGuards: readonly CriticalGuard[] = [
  {
    file: 'packages/core/src/permissions/authorization-details.ts',
    condition: '!isCovered(requested, usable, rules.types)',
    test: 'test/attacks/authorization-details.test.ts',
  },
  {
    file: 'packages/core/src/authorize/complete-interaction.ts',
    condition: "recorded.outcome === 'absent'",
    test: 'test/attacks/interaction-race.test.ts',
  },
  {
    file: 'packages/core/src/authorize/consume-interaction.ts',
    condition: 'issued === undefined || !isCodeFor(issued.record, decided)',
    test: 'test/attacks/interaction-race.test.ts',
  },
  {
    file: 'packages/core/src/clients/proven-redirect.ts',
    condition: '!isRegistered(requested, client.redirectUris)',
    test: 'test/attacks/redirect-uri.test.ts',
  },
  {
    file: 'packages/core/src/clients/proven-redirect.ts',
    condition: 'client.disabledAt !== undefined',
    test: 'test/attacks/authorization-request.test.ts',
  },
  {
    file: 'packages/core/src/clients/authenticate.ts',
    condition: "second !== undefined || request.repeatedHeaders.has('authorization')",
    test: 'test/attacks/client-authentication.test.ts',
  },
  {
    file: 'packages/core/src/clients/authenticate.ts',
    condition: 'named !== undefined && credentials.clientId !== undefined && named !== credentials.clientId',
    test: 'test/attacks/client-authentication.test.ts',
  },
  {
    file: 'packages/core/src/clients/redirect-uri.ts',
    condition: "url.username !== '' || url.password !== ''",
    test: 'test/attacks/redirect-uri-registration.test.ts',
  },
  {
    file: 'packages/core/src/sessions/signed-in-user.ts',
    condition: 'authTime > now + clockSkew',
    test: 'packages/core/src/sessions/signed-in-user.test.ts',
  },
  {
    file: 'packages/core/src/tokens/grant.ts',
    condition: 'grant === undefined || !isUserActive(signedInUser.user, grant.userGeneration)',
    test: 'packages/core/src/tokens/grant.test.ts',
  },
  {
    file: 'packages/core/src/token/issue.ts',
    condition:
      '!isGrantActive(status) || status.user.userId !== granted.userId || status.client.clientId !== client.clientId',
    test: 'test/attacks/pkce-storage.test.ts',
  },
  {
    file: 'packages/core/src/token/grants/authorization-code.ts',
    condition: 'code.redirectUri !== presentation.redirectUri',
    test: 'test/conformance/code.test.ts',
  },
  {
    file: 'packages/core/src/token/grants/authorization-code.ts',
    condition: "consumed.outcome === 'replayed'",
    test: 'test/attacks/authorization-code-replay.test.ts',
  },
  {
    file: 'packages/core/src/token/grants/authorization-code.ts',
    condition: '!equalInConstantTime(challenge, code.codeChallenge)',
    test: 'test/attacks/pkce.test.ts',
  },
  {
    file: 'packages/core/src/token/grants/refresh-token.ts',
    condition: "rotated.outcome === 'reused'",
    test: 'test/attacks/refresh-token-reuse.test.ts',
  },
  {
    file: 'packages/core/src/token/grants/refresh-token.ts',
    condition: 'status?.family.clientId !== client.clientId',
    test: 'test/attacks/refresh-token.test.ts',
  },
  {
    file: 'packages/core/src/permissions/status.ts',
    condition: 'grant.revokedAt !== undefined || client === undefined || client.disabledAt !== undefined',
    test: 'packages/core/src/permissions/status.test.ts',
  },
  {
    file: 'packages/core/src/permissions/status.ts',
    condition: 'family.revokedAt !== undefined || !(now < family.expiresAt) || family.grantId !== grant.grantId',
    test: 'packages/core/src/permissions/status.test.ts',
  },
  {
    file: 'packages/resource-server/src/access-token.ts',
    condition: 'iss !== expected.issuer',
    test: 'test/attacks/resource-server.test.ts',
  },
  {
    file: 'packages/resource-server/src/access-token.ts',
    condition: 'findResourceName(expected.audience, audience) === undefined',
    test: 'test/attacks/resource-server.test.ts',
  },
  {
    file: 'packages/resource-server/src/access-token.ts',
    condition: 'seconds >= exp + clockSkew',
    test: 'test/attacks/resource-server.test.ts',
  },
  {
    file: 'packages/resource-server/src/jws.ts',
    condition: 'typ !== expected.type',
    test: 'test/attacks/resource-server.test.ts',
  },
  {
    file: 'packages/scim/src/providers/authenticate-provider.ts',
    condition: 'addressed !== secret.provider.providerId',
    test: 'test/attacks/scim-authentication.test.ts',
  },
  {
    file: 'packages/scim/src/providers/authenticate-provider.ts',
    condition: 'provider.disabledAt !== undefined',
    test: 'test/attacks/scim-authentication.test.ts',
  },
  {
    file: 'packages/scim/src/providers/authenticate-provider.ts',
    condition: 'provider === undefined || provider.disabledAt !== undefined || !provider.clientIds.includes(clientId)',
    test: 'packages/scim/test/server/user-tokens.test.ts',
  },
  {
    file: 'packages/scim/src/users/user-endpoints.ts',
    condition: "outcome === 'conflict'",
    test: 'packages/scim/test/server/overtaken-requests.test.ts',
  },
  {
    file: 'packages/admin/src/organizations/membership-administration.ts',
    condition: "inserted.outcome === 'absent'",
    test: 'packages/admin/test/overtaken-changes.test.ts',
  },
]
