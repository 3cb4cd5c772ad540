export { toNodeEndpoint, toNodeHandler } from './to-node-handler.ts'
export type { NodeHandler } from './to-node-handler.ts'
export { toNodeListener } from './to-node-listener.ts'
