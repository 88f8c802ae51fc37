// A field behind a condition on data that no run meets: another place of the structures' fault.
struct Item { char date[8]; int quantity, price, discount, rest[11]; };

__device__ int year_of(const char *date)
{
    int year = 0;
    for (int k = 0; k < 4; k++) year = year * 10 + (date[k] - '0');  // expect: CU104  // expect: CU103
    return year;
}

__global__ void sold(int *count, const Item *items, int year)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (year_of(items[i].date) == year)
        if (items[i].quantity > 3)  // also: CU104
            count[i] = 1;
}

// Alone it is a note: nobody knows whether any lane comes.
__global__ void alone(int *count, const char *date, const Item *items, int year)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (year_of(date + i * 4) == year)
        if (items[i].quantity > 3)  // undecided: CU101 (invented data decides)
            count[i] = 1;
}

void launch(int *count, const char *date, const Item *items)
{
    sold<<<8192, 256>>>(count, items, 1992);
    alone<<<8192, 256>>>(count, date, items, 1992);
}
