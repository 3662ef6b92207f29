import { describe, expect, it } from 'vitest'
import { filesUrlOf } from './open-files.ts'
import { s3AddressOf } from './s3.ts'

const reference = {
  UPLOADS_STORAGE_S3_LIKE_ACCESS_KEY: 'key',
  UPLOADS_STORAGE_S3_LIKE_SECRET_KEY: 'a/secret+=@:',
  UPLOADS_STORAGE_S3_LIKE_ENDPOINT: 'http://minio:9000',
  UPLOADS_STORAGE_S3_LIKE_BUCKET_NAME: 'uploads',
}

describe('the URL of the file store', () => {
  it('is FILES_URL, whatever else is set, and undefined when nothing is', () => {
    expect(filesUrlOf({ ...reference, FILES_URL: 'file:/srv' })).toBe('file:/srv')
    expect(filesUrlOf({})).toBeUndefined()
    expect(filesUrlOf({ FILES_URL: '', UPLOADS_STORAGE_S3_LIKE_REGION: '' })).toBeUndefined()
  })

  it('comes from the variables of the reference, and is read as they were meant', () => {
    const url = filesUrlOf({ ...reference, UPLOADS_STORAGE_S3_LIKE_REGION: 'fr-par' }) ?? ''
    expect(s3AddressOf(url)).toEqual({
      origin: 'http://minio:9000',
      bucket: 'uploads',
      region: 'fr-par',
      accessKeyId: 'key',
      secretAccessKey: 'a/secret+=@:',
    })
    const secure = { ...reference, UPLOADS_STORAGE_S3_LIKE_ENDPOINT: 'https://s3.example.com' }
    expect(s3AddressOf(filesUrlOf(secure) ?? '')).toMatchObject({
      origin: 'https://s3.example.com',
      region: 'us-east-1',
    })
  })

  it.each(Object.keys(reference))('names %s when it is missing', (name) => {
    expect(() => filesUrlOf({ ...reference, [name]: '' })).toThrow(name)
  })

  it('takes no endpoint that is no web address', () => {
    const env = { ...reference, UPLOADS_STORAGE_S3_LIKE_ENDPOINT: 'minio:9000' }
    expect(() => filesUrlOf(env)).toThrow('http or https')
  })
})
