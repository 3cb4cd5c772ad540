import { jsonText, type Storage } from '@mintmark/storage-interface'

import { refusal } from '../error/refusal.ts'
import { loadMembers } from '../group/load-members.ts'
import { groupLocation, renderGroup } from '../group/render-group.ts'
import { projectResource } from '../resource/project-resource.ts'
import type { ResourceType } from '../schema/define-resource-type.ts'
import type { ListedType } from './listed-type.ts'

interface ListedGroupsDependencies {
  readonly storage: Storage
  readonly groupType: ResourceType
}

/**
 * The groups of a provider: one read for each page, and one for the members of all groups on it, if they are shown. Where those
 * are too many the page is a shorter one, if its cursor says where the next begins.
 * @throws ScimError tooMany — reason `too_many_members`, for a page by its number.
 */
export function listedGroups({ storage, groupType }: ListedGroupsDependencies): ListedType {
  const list: ListedType['list'] = async (query, showing) => {
    const { projection, baseUrl } = showing
    const outcome = await storage.groups.list(query)
    if (outcome.outcome === 'tooMany') return outcome
    const members = await loadMembers(outcome.records, projection, { storage })
    const fitting =
      members === undefined ? outcome.records : outcome.records.filter(({ groupId }) => members.has(groupId))
    if (fitting.length < outcome.records.length) {
      // RFC 7644 §3.12 tooMany. §3.4.2.4 allows fewer than count, but Okta goes on by count, to 101 and 201: it would miss groups.
      if (query.page.kind === 'index') throw refusal('too_many_members')
      // Asked again, so that the page behind begins where this one ends.
      return list({ ...query, page: { ...query.page, limit: fitting.length } }, showing)
    }

    const resources = fitting.map((group) => renderGroup(group, members?.get(group.groupId) ?? [], baseUrl))
    return { ...outcome, records: resources.map((resource) => jsonText(projectResource(resource, projection))) }
  }
  return { resourceType: groupType, locationOf: groupLocation, list }
}
