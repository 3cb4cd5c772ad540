import { actionRoute } from '../action.ts'
import { at } from '../api.ts'
import { type SecretHolder, secretHolderRoutes } from '../secret-holder.ts'
import { secretPage } from '../secret-page.ts'
import { textOf } from '../values.ts'
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
    path: `${directoryHolder.path}/create-setup-link`,
    isDangerous: false,
    question: ({ directories }) => directories.createSetupLink,
    call: (visit) => ({ method: 'POST', path: `${directoryHolder.apiPath(visit)}/setup-link`, body: {} }),
    answer: async (result, visit) =>
      secretPage(visit, {
        section: 'directories',
        name: await directoryHolder.nameOf(visit),
        secret: textOf(result['url']),
        isRotated: false,
        leadsTo: directoryHolder.leadsTo(visit),
      }),
  }),
  actionRoute({
    ...directoryHolder,
    path: `${directoryHolder.path}/revoke-setup-link`,
    isDangerous: true,
    question: ({ directories }) => directories.revokeSetupLink,
    call: (visit) => ({ method: 'DELETE', path: `${directoryHolder.apiPath(visit)}/setup-link` }),
  }),
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
