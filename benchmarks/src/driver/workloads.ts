import { oauthWorkloads } from './oauth-workloads.ts'
import { scimWorkloads } from './scim-workloads.ts'

/** The workloads by name. */
export const workloads = { ...oauthWorkloads, ...scimWorkloads } as const

export type WorkloadName = keyof typeof workloads
