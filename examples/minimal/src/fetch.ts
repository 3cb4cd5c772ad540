import { toFetch } from '@mintmark/adapter-fetch'
import { server } from './authorization-server.ts'

export default { fetch: toFetch(server) }
