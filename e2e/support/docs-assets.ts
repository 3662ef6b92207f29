import { getDocsAsset, showDocs } from '@platform/contracts'

/** The files that the pages of the API description name, each with the status it is answered with. */
export async function docsAssets(origin: string): Promise<[name: string, status: number][]> {
  const page = await fetch(origin + showDocs.path)
  const names = [...(await page.text()).matchAll(/"\/docs\/([^"]+)"/g)].map(([, name]) => String(name))
  return Promise.all(
    names.map(async (name) => {
      const answer = await fetch(origin + getDocsAsset.path.replace(':asset', name))
      return [name, answer.status]
    }),
  )
}
