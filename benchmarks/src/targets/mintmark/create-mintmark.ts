import { cookieSessions, createAuthorizationServer, registerClient, storedKeys } from '@mintmark/core'
import type { HttpService, ServerRequest } from '@mintmark/core/http'
import { clientId, epochSeconds, grantId, userId, type Storage } from '@mintmark/storage-interface'

import type { Site, TargetSettings } from '../../site.ts'
import { benchStorage } from '../bench-storage.ts'
import { issuer, person, redirectUri } from '../fixture.ts'

/** A server with a client, and a person who has signed in and consented. */
export async function createMintmark(
  settings: TargetSettings,
): Promise<{ readonly server: HttpService; readonly site: Omit<Site, 'port'> }> {
  const storage = await benchStorage(settings.storage, issuer)
  const keys = storedKeys({ storage, sealingKey: Buffer.alloc(32, 7).toString('base64url'), algorithms: [settings.algorithm] })
  const sessions = cookieSessions({ storage })
  const server = createAuthorizationServer({
    issuer,
    storage,
    keys,
    signedIn: sessions.signedIn,
    scopes: { 'api.read': 'Read' },
    lifetimes: { accessToken: 3600 },
  })

  const { clientSecret = '' } = await registerClient(
    {
      clientId: 'client',
      clientName: 'Client',
      redirectUris: [redirectUri],
      grantTypes: ['authorization_code', 'refresh_token', 'client_credentials'],
      scopes: ['openid', 'email', 'offline_access', 'api.read'],
      servedAudiences: [issuer],
      idTokenSignedResponseAlg: settings.algorithm,
    },
    { storage },
  )
  await addPerson(storage)
  const session = await sessions.start(anyRequest, { subject: person.userId, amr: ['pwd'] })

  return {
    server,
    site: {
      paths: {
        token: '/token',
        authorize: '/auth',
        introspection: '/token/introspection',
        userinfo: '/userinfo',
        metadata: '/.well-known/openid-configuration',
        jwks: '/jwks',
      },
      clientId: 'client',
      clientSecret,
      redirectUri,
      scope: 'openid email offline_access api.read',
      cookie: session.headers[0]?.[1].split(';', 1)[0] ?? '',
      serviceParameters: { scope: 'api.read' },
    },
  }
}

/** An account, and its consent for the client. */
async function addPerson(storage: Storage): Promise<void> {
  const now = epochSeconds(Date.now() / 1000)
  const client = await storage.clients.find(clientId('client'))
  await storage.users.insert({ userId: userId(person.userId), claims: { email: person.email, email_verified: true }, createdAt: now })
  if (client === undefined) throw new Error('The client is not there.')
  await storage.grants.insert({
    grantId: grantId('grant'),
    clientId: client.clientId,
    userId: userId(person.userId),
    userGeneration: 0,
    scopes: client.scopes,
    createdAt: now,
    revokedAt: undefined,
    version: 1,
  })
}

const anyRequest: ServerRequest = {
  method: 'GET',
  url: new URL(issuer),
  headers: new Map(),
  repeatedHeaders: new Set(),
  body: new Uint8Array(),
}
