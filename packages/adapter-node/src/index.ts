export { toNodeEndpoint, toNodeHandler, toNodeListener } from './to-node-handler.ts'
export type { NodeHandler } from './to-node-handler.ts'
