import { registerClient } from '@mintmark/core'
import type { OAuthStorage } from '@mintmark/storage-interface'

/** Registers the assistant: it serves one API, and acts for users at another. */
export const registerAssistant = (storage: OAuthStorage) =>
  registerClient(
    {
      clientId: 'assistant',
      clientName: 'Assistant',
      grantTypes: ['urn:ietf:params:oauth:grant-type:token-exchange'],
      scopes: ['invoices.read'],
      servedAudiences: ['https://assistant.example.com'],
    },
    { storage },
  )
