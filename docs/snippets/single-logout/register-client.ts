import { updateClient } from '@mintmark/core'
import { storage } from './yours.ts'

await updateClient(
  { clientId: 'my-app' },
  {
    postLogoutRedirectUris: ['https://app.example.com/signed-out'],
    backchannelLogoutUri: 'https://app.example.com/backchannel-logout',
    backchannelLogoutSessionRequired: true,
  },
  { storage },
)
