import { registerClient } from '@mintmark/core'
import type { OAuthStorage } from '@mintmark/storage-interface'

/** Registers a client. Only the client can read its ID tokens and userinfo responses. */
export const registerPrivateClient = (storage: OAuthStorage) =>
  registerClient(
    {
      clientName: 'Payroll',
      redirectUris: ['https://payroll.example/cb'],
      jwksUri: 'https://payroll.example/jwks.json',
      idTokenEncryptedResponseAlg: 'ECDH-ES',
      idTokenEncryptedResponseEnc: 'A256GCM',
      userinfoSignedResponseAlg: 'ES256',
      userinfoEncryptedResponseAlg: 'ECDH-ES',
    },
    { storage },
  )
