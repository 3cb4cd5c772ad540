import { githubActions, kubernetesServiceAccount, registerClient, spiffeWorkload } from '@mintmark/core'
import type { OAuthStorage } from '@mintmark/storage-interface'

const permissions = { grantTypes: ['client_credentials'], scopes: ['invoices.read'] }

/** A job of one repository, in the environment `production` of GitHub. */
export const registerDeployment = (storage: OAuthStorage) =>
  registerClient(
    {
      ...permissions,
      ...githubActions({ repositoryId: 1296269, environment: 'production' }),
      clientId: 'deploy',
      clientName: 'Deployment',
    },
    { storage },
  )

/** A pod with the service account `worker` in the namespace `billing`. */
export const registerPod = (storage: OAuthStorage) =>
  registerClient(
    {
      ...permissions,
      ...kubernetesServiceAccount({
        issuer: 'https://oidc.eks.eu-west-1.amazonaws.com/id/0A1B2C',
        jwksUri: 'https://oidc.eks.eu-west-1.amazonaws.com/id/0A1B2C/keys',
        namespace: 'billing',
        name: 'worker',
      }),
      clientId: 'billing-worker',
      clientName: 'Billing worker',
    },
    { storage },
  )

/** A workload with a JWT-SVID. */
export const registerWorkload = (storage: OAuthStorage) =>
  registerClient(
    {
      ...permissions,
      ...spiffeWorkload({
        id: 'spiffe://prod.example.com/billing',
        jwksUri: 'https://spire.example.com/keys',
      }),
      clientId: 'billing-mesh',
      clientName: 'Billing in the mesh',
    },
    { storage },
  )
