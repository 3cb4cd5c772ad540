import * as openid from 'openid-client'
import { tokenSource } from './token-source.ts'

export async function createJob(issuer: string, clientSecret: string) {
  const config = await openid.discovery(new URL(issuer), 'billing', undefined, openid.ClientSecretBasic(clientSecret))
  const accessToken = tokenSource(config)

  return async () =>
    fetch('https://api.example.com/invoices', { headers: { authorization: `Bearer ${await accessToken()}` } })
}
