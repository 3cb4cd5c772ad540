import { actionRoute } from '../action.ts'
import { at } from '../api.ts'
import { type SecretHolder, secretHolderRoutes } from '../secret-holder.ts'
import { directoryName } from './directories-page.ts'

/** Directories, as records that have secrets. */
export const directoryHolder: SecretHolder = {
  path: '/directories/{provider_id}',
  area: 'providers',
  section: 'directories',
  nameOf: async ({ api, part }) => directoryName(await api.get(at`/identity-providers/${part('provider_id')}`)),
  leadsTo: ({ part }) => at`/directories/${part('provider_id')}`,
  apiPath: ({ part }) => at`/identity-providers/${part('provider_id')}`,
  questions: ({ directories }) => directories,
  secretMember: 'secret',
}

/** What administrators can do with a directory. */
export const directoryActions = [
  ...secretHolderRoutes(directoryHolder),
  actionRoute({
    ...directoryHolder,
    path: `${directoryHolder.path}/release`,
    isDangerous: true,
    question: ({ directories }) => directories.release,
    call: ({ part }) => ({
      method: 'POST',
      path: at`/identity-providers/${part('provider_id')}/release-deprovisioning`,
    }),
  }),
]
