module bucketeer

go 1.23
