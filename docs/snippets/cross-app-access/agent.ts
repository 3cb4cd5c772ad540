import { CrossAppAccessProvider, discoverAndRequestJwtAuthGrant } from '@modelcontextprotocol/client'

interface Credentials {
  readonly clientId: string
  readonly clientSecret: string
}

/**
 * Signs an MCP client in for a user of the company.
 * @param company the issuer of the company's identity provider, the agent's credentials there, and the user's ID token.
 * @param service the issuer of the service, and the agent's credentials there.
 */
export const providerFor = (
  company: Credentials & { readonly issuer: string; readonly idToken: string },
  service: Credentials & { readonly issuer: string },
): CrossAppAccessProvider =>
  new CrossAppAccessProvider({
    clientId: service.clientId,
    clientSecret: service.clientSecret,
    expectedIssuer: service.issuer,
    async assertion({ authorizationServerUrl, resourceUrl, scope, fetchFn }) {
      const { jwtAuthGrant } = await discoverAndRequestJwtAuthGrant({
        idpUrl: company.issuer,
        idToken: company.idToken,
        clientId: company.clientId,
        clientSecret: company.clientSecret,
        audience: authorizationServerUrl,
        resource: resourceUrl,
        ...(scope !== undefined && { scope }),
        fetchFn,
      })
      return jwtAuthGrant
    },
  })
