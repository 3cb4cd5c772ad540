import {
  type AuthorizationServer,
  type AuthorizationServerOptions,
  createAuthorizationServer,
  createCookieSessions,
  createStoredKeys,
  limitSignIns,
  registerClient,
} from '@mintmark/core'
import { withHeaders } from '@mintmark/core/http'
import { consentPage, errorPage, readConsentForm, readSignInForm, signInPage } from '@mintmark/pages'
import { type AdminStorage, epochSeconds, userId } from '@mintmark/storage-interface'

import { noteScopes } from './mcp-server.ts'

export interface AuthorizationServerSettings extends Pick<AuthorizationServerOptions, 'onEvent' | 'fetch'> {
  readonly issuer: string
  /** The URL of the MCP server, which is its resource identifier (RFC 8707 §2). */
  readonly resource: string
  readonly storage: AdminStorage
  /** 32 random bytes in base64url, which encrypt the stored signing keys. */
  readonly sealingKey: string
}

/**
 * Creates a server that signs Ann in for MCP clients with metadata documents, for those that register themselves, and for
 * the registered client `mcp-tool`.
 */
export async function createMcpAuthorizationServer(
  settings: AuthorizationServerSettings,
): Promise<AuthorizationServer> {
  const { issuer, resource, storage, sealingKey, ...optional } = settings
  const scopes = [...Object.keys(noteScopes), 'offline_access']
  await storage.users.insert({
    userId: userId('user-1'),
    claims: { name: 'Ann Lee' },
    createdAt: epochSeconds(Date.now() / 1000),
  })
  // For clients that do neither. The redirect URI may have any port on the device (RFC 8252 §7.3).
  await registerClient(
    {
      clientId: 'mcp-tool',
      clientName: 'MCP tool',
      profile: 'mcp',
      tokenEndpointAuthMethod: 'none',
      redirectUris: ['http://127.0.0.1/callback', 'http://localhost/callback', 'http://localhost/oauth/callback'],
      grantTypes: ['authorization_code', 'refresh_token'],
      scopes,
    },
    { storage },
  )
  const sessions = createCookieSessions({ storage })
  const attempts = limitSignIns({ ...(optional.onEvent !== undefined && { onEvent: optional.onEvent }) })
  return createAuthorizationServer({
    issuer,
    storage,
    ...optional,
    keys: createStoredKeys({ storage, sealingKey }),
    scopes: noteScopes,
    resources: { [resource]: { scopes: Object.keys(noteScopes) } },
    clientDocuments: { allow: '*', scopes },
    openRegistration: { scopes, redirectHosts: ['cursor', 'vscode.dev', 'insiders.vscode.dev', 'claude.ai'] },
    signedIn: sessions.signedIn,
    renderErrorPage: errorPage,
    pages: {
      async login(pending, request) {
        const attempt = readSignInForm(request)
        if (attempt === undefined) return signInPage(pending)
        const { allowed, report } = await attempts({ account: attempt.username })
        const isAnn = allowed && attempt.username === 'ann' && attempt.password === 'example'
        await report(isAnn ? 'succeeded' : 'failed')
        if (!isAnn) return signInPage({ ...pending, error: allowed ? 'rejected' : 'throttled' })
        const { signedIn, headers } = await sessions.start(request, { subject: 'user-1', amr: ['pwd'] })
        return withHeaders(await pending.complete(signedIn), headers)
      },
      async consent(pending, request) {
        if (request.method !== 'POST') return consentPage(pending)
        const { decision, grantedScopes } = readConsentForm(request)
        return decision === 'allow' ? pending.complete({ grantedScopes }) : pending.deny()
      },
    },
  })
}
