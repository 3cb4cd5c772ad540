import { registerClient } from '@mintmark/core'
import type { OAuthStorage } from '@mintmark/storage-interface'

/** Registers a client whose ID tokens and userinfo responses only it can read. */
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
