import type { Journal } from '@mintmark/core/http'
import type { Random } from '@mintmark/core/runtime'
import type { Storage } from '@mintmark/storage-interface'

import type { ScimOccurrence } from '../event/scim-event.ts'
import type { ResourceType } from '../schema/define-resource-type.ts'

/** What the endpoints of groups ask for, made once per server. */
export interface GroupDependencies {
  readonly storage: Storage
  readonly random: Random
  readonly journal: Journal<ScimOccurrence>
  readonly groupType: ResourceType
}
