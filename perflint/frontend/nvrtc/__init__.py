"""The NVRTC front end: a `.cu` file compiled as it is, what fails saying what to help with next."""
