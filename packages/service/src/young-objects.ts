import { setFlagsFromString } from 'node:v8'

/**
 * Has V8 make every object in young memory. It notes which places in the code make objects that outlive a collection,
 * and makes those of such a place in old memory from then on. Here requests and runs are under way for as long as
 * stores take, so that nearly everything came to be made there: it is dead soon, but keeps all that it refers to
 * alive until the next full collection (docs/adr/0084).
 */
export const keepObjectsYoung = (): void => setFlagsFromString('--no-allocation-site-pretenuring')
