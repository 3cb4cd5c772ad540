// Mintmark on node:http, as a host would run it.
import { toNodeListener } from '@mintmark/adapter-node'

import { serveTarget, targetSettings } from '../serve-target.ts'
import { createMintmark } from './create-mintmark.ts'

const { server, site } = await createMintmark(targetSettings())
await serveTarget({ listener: toNodeListener(server), site })
