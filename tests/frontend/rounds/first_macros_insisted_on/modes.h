#ifndef MODES_H
#define MODES_H
#ifndef WITH_MPI
#error "WITH_MPI has to be defined"
#endif
#ifndef FOR_DEVICES
#error "FOR_DEVICES has to be defined"
#endif
#if WITH_MPI
#define WITH_MPI_ 1
#else
#define WITH_MPI_ 0
#endif
#endif
