import type { Provisioning } from '@mintmark/provisioning'

/** Adds a partner, and returns what would be sent. */
export async function addPartner(provisioning: Provisioning, bearerToken: string) {
  await provisioning.targets.create({
    targetId: 'crm',
    displayName: 'CRM',
    baseUrl: 'https://crm.example/scim/v2',
    credential: { bearerToken },
    providerIds: ['acme'],
  })
  const { users, groups, divergences } = await provisioning.compare('crm')
  return { users, groups, requests: divergences.flatMap(({ requests }) => requests) }
}

/** Starts to send: changes from now on, and everything that exists. */
export async function goLive(provisioning: Provisioning) {
  await provisioning.targets.enable('crm')
  return provisioning.synchronize('crm')
}
