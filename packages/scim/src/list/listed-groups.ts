import type { Storage } from '@mintmark/storage-interface'

import { loadMembers } from '../group/load-members.ts'
import { groupLocation, renderGroup } from '../group/render-group.ts'
import { projectResource } from '../resource/project-resource.ts'
import type { ResourceType } from '../schema/define-resource-type.ts'
import type { ListedType } from './listed-type.ts'

interface ListedGroupsDependencies {
  readonly storage: Storage
  readonly groupType: ResourceType
}

/** The groups of a provider: one read for each page, and one for the members of all groups on it, if they are shown. */
export const listedGroups = ({ storage, groupType }: ListedGroupsDependencies): ListedType => ({
  resourceType: groupType,
  locationOf: groupLocation,
  async list(query, { projection, baseUrl }) {
    const outcome = await storage.groups.list(query)
    if (outcome.outcome === 'tooMany') return outcome
    const members = await loadMembers(outcome.records, projection, { storage })
    const records = outcome.records.map((group) => renderGroup(group, members.get(group.groupId) ?? [], baseUrl))
    return { ...outcome, records: records.map((resource) => projectResource(resource, projection)) }
  },
})
