import { inSecret } from '@platform/config'
import { filesUrlOf } from '@platform/files'
import { z } from 'zod'

const s3 = (what: string) =>
  z.string().optional().describe(`${what} of an S3 store, where FILES_URL is not set.`)

/** Where pictures are kept, and how many somebody may send. */
export const photosEnv = z
  .object({
    FILES_URL: inSecret(
      z
        .string()
        .regex(/^(file:.|s3:\/\/)/, 'must be file:<directory> or s3://key:secret@host/bucket')
        .optional()
        .describe(
          'Where files are kept: file:<directory> or s3://key:secret@host[:port]/bucket?region=…&tls=….',
        ),
    ),
    UPLOADS_STORAGE_S3_LIKE_ACCESS_KEY: inSecret(s3('Access key')),
    UPLOADS_STORAGE_S3_LIKE_SECRET_KEY: inSecret(s3('Secret key')),
    UPLOADS_STORAGE_S3_LIKE_ENDPOINT: s3('Address'),
    UPLOADS_STORAGE_S3_LIKE_BUCKET_NAME: s3('Bucket'),
    UPLOADS_STORAGE_S3_LIKE_REGION: s3('Region'),
  })
  .transform((storage, problems) => {
    try {
      return { filesUrl: filesUrlOf(storage) }
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      problems.addIssue({ code: 'custom', path: ['FILES_URL'], message: `is not set, and ${message}` })
      return z.NEVER
    }
  })
